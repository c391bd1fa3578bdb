/* A PAM module that asks the questions of a file and takes only their answers. Each line of the file: 1 if the answer
   may be seen or 0 if not, the question, a tab, the answer. The interface of PAM is declared here, so that its headers
   need not be there. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pam_message { int style; const char *text; };
struct pam_response { char *text; int code; };
struct pam_conv {
    int (*ask)(int, const struct pam_message **, struct pam_response **, void *);
    void *data;
};

int pam_get_item(const void *handle, int kind, const void **item);

enum { SUCCESS = 0, REFUSED = 7, CONVERSATION = 5, HIDDEN = 1, SEEN = 2 };

static int asked(const struct pam_conv *conversation, int seen, const char *question, const char *answer)
{
    struct pam_message message = { seen ? SEEN : HIDDEN, question };
    const struct pam_message *messages = &message;
    struct pam_response *response = NULL;
    int right;

    if (conversation->ask(1, &messages, &response, conversation->data) != SUCCESS || response == NULL)
        return 0;
    right = response->text != NULL && strcmp(response->text, answer) == 0;
    free(response->text);
    free(response);
    return right;
}

int pam_sm_authenticate(void *handle, int flags, int count, const char **arguments)
{
    const struct pam_conv *conversation = NULL;
    char line[1024];
    FILE *file;
    int right = 1;

    (void)flags;
    if (count < 1 || pam_get_item(handle, CONVERSATION, (const void **)&conversation) != SUCCESS
        || conversation == NULL || (file = fopen(arguments[0], "r")) == NULL)
        return REFUSED;
    while (right && fgets(line, sizeof line, file) != NULL) {
        char *answer = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (answer == NULL)
            continue;
        *answer = '\0';
        right = asked(conversation, line[0] == '1', line + 1, answer + 1);
    }
    fclose(file);
    return right ? SUCCESS : REFUSED;
}

int pam_sm_setcred(void *handle, int flags, int count, const char **arguments)
{
    (void)handle; (void)flags; (void)count; (void)arguments;
    return SUCCESS;
}
