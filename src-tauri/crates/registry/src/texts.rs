//! Looking for words in what is too long for the list: notes, and subjects of commits.

use rollcall_converge::WorkspaceId;

use crate::error::{RegistryError, Translate as _};
use crate::records::Columns;
use crate::store::{Registry, fetch_all};

/// Words that are looked for at once.
const WORDS_LIMIT: usize = 16;
/// Characters of one of them.
const WORD_LIMIT: usize = 200;

impl Registry {
    /// For each word the rows whose note, or the subject of whose commit of HEAD, has it, whatever its case by the
    /// rules of Unicode, in the order of their ids. An empty word is in none.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for more than 16 words, or one of more than 200 characters; if the registry
    /// cannot be read.
    pub async fn texts(&self, words: &[String]) -> Result<Vec<Vec<WorkspaceId>>, RegistryError> {
        if words.len() > WORDS_LIMIT {
            return Err(RegistryError::invalid(
                format!("{} words are more than {WORDS_LIMIT}.", words.len()),
                "Look for fewer words.",
            ));
        }
        if words.iter().any(|it| it.chars().count() > WORD_LIMIT) {
            return Err(RegistryError::invalid(
                format!("A word has more than {WORD_LIMIT} characters."),
                "Look for a shorter one.",
            ));
        }
        let words: Vec<String> = words.iter().map(|it| it.to_lowercase()).collect();
        let mut found = vec![Vec::new(); words.len()];
        if words.iter().all(String::is_empty) {
            return Ok(found);
        }
        let mut read = self.read().await?;
        // SQLite has no lower case beyond ASCII, so what it gives is compared here; the rest of the facts stays there.
        let rows = fetch_all!(
            *read,
            "SELECT w.id, coalesce(a.note, '') AS note, \
             coalesce(json_extract(w.facts, '$.it.last_commit.subject'), '') AS subject FROM live_workspaces w \
             LEFT JOIN annotations a ON a.workspace_id = w.id ORDER BY w.id"
        )?;
        for row in &rows {
            let row = Columns(row);
            let note = row.text("note")?.to_lowercase();
            let subject = row.text("subject")?.to_lowercase();
            let id = WorkspaceId::new(row.id("id")?);
            for (word, ids) in words.iter().zip(&mut found) {
                if !word.is_empty() && (note.contains(word) || subject.contains(word)) {
                    ids.push(id);
                }
            }
        }
        Ok(found)
    }
}
