//! Ends what was started, however this program itself ends.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Failed;

/// The variable that marks what is on a leash. Children inherit it, whatever process group they move to.
const MARK: &str = "ROLLCALL_LEASH";

/// Waits until its input ends, which it does with the program that holds the other end, then ends everything that
/// carries the mark. It has no mark itself.
const HOLDER: &str = r#"
read -r _
number() {
    sed 's,^/proc/,,; s,/.*,,'
}
marked() {
    grep -lzxF -e "$1" /proc/[0-9]*/environ | number
}
# A server that writes a title over its environment has lost the mark.
children() {
    grep -lE "^PPid:[[:space:]]*($(marked "$1" | paste -sd '|'))\$" /proc/[0-9]*/status | number
}
kill -TERM $(marked "$1") $(children "$1")
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    if [ -z "$(marked "$1")" ]; then exit; fi
    sleep 0.1
done
kill -KILL $(marked "$1") $(children "$1")
"#;

static HELD: AtomicU32 = AtomicU32::new(0);

/// Processes that end with this value, or with this program if that is killed first. Where there is no `/proc`, only
/// those that end by themselves once the program that started them has gone.
pub(crate) struct Leash {
    mark: String,
    holder: Child,
}

impl Leash {
    /// A new one, with nothing on it.
    ///
    /// # Errors
    /// If there is no shell to hold it.
    pub(crate) fn new() -> Result<Self, Failed> {
        let number = HELD.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}.{number}", std::process::id());
        let holder = Command::new("sh")
            .args(["-c", HOLDER, "leash"])
            .arg(format!("{MARK}={mark}"))
            .env_remove(MARK)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is not for it: it has to outlive those it ends.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("`sh` could not be started: {error}."))?;
        Ok(Self { mark, holder })
    }

    /// Puts a command on this leash, with everything it will start.
    pub(crate) fn on<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env(MARK, &self.mark)
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        // It has nothing to say.
        self.holder.wait().map(drop).unwrap_or_default();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{BufRead as _, BufReader};

    use super::*;

    #[test]
    fn what_is_on_a_leash_ends_with_it_even_in_a_group_of_its_own_or_without_the_mark() {
        let leash = Leash::new().unwrap();
        let mut command = Command::new("sleep");
        command.arg("600").process_group(0);
        let mut other = command.spawn().unwrap();
        let mut held = leash.on(&mut command).spawn().unwrap();
        let mut parent = Command::new("sh");
        let mut parent = leash
            .on(&mut parent)
            .args(["-c", "env -u \"$1\" sleep 600 & echo $!; wait", "sh", MARK])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(parent.stdout.take().unwrap());
        let mut child = String::new();
        output.read_line(&mut child).unwrap();
        drop(leash);
        // The child without the mark holds the other end of this pipe.
        output.read_line(&mut child).unwrap();
        assert!(!parent.wait().unwrap().success());
        assert!(!held.wait().unwrap().success());
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
