//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
Usage: rollcall [--data FOLDER] [--ssh-config FILE]

  --data FOLDER       keep the registry and the log there
  --ssh-config FILE   read this ssh configuration in place of your own
  --version           print the version
  --help              print this
";

/// What a command line asks for.
pub(crate) enum Asked {
    /// The window.
    Run(Options),
    /// Some text.
    Print(String),
}

/// Where the application finds its things.
pub(crate) struct Options {
    /// The data folder.
    pub(crate) data: PathBuf,
    /// The ssh configuration; the person's own if left out.
    pub(crate) ssh_config: Option<PathBuf>,
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// One sentence that says what cannot be understood.
pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut data = None;
    let mut ssh_config = None;
    while let Some(argument) = arguments.next() {
        let place = match argument.to_str() {
            Some("--help" | "-h") => return Ok(Asked::Print(USAGE.to_owned())),
            Some("--version") => {
                return Ok(Asked::Print(format!(
                    "rollcall {}\n",
                    env!("CARGO_PKG_VERSION")
                )));
            }
            Some("--data") => &mut data,
            Some("--ssh-config") => &mut ssh_config,
            _ => return Err(format!("`{}` is no option.", argument.display())),
        };
        let value = arguments
            .next()
            .filter(|value| !value.is_empty())
            .ok_or_else(|| format!("`{}` needs a path after it.", argument.display()))?;
        let path = std::path::absolute(&value)
            .map_err(|error| format!("`{}` is no path: {error}.", value.display()))?;
        *place = Some(path);
    }
    let data = match data {
        Some(data) => data,
        None => dirs::data_dir()
            .ok_or("There is no folder for application data; name one with `--data`.")?
            .join("rollcall"),
    };
    Ok(Asked::Run(Options { data, ssh_config }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Asked, String> {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn folders_become_absolute() {
        let Ok(Asked::Run(options)) = parsed(&["--data", "here", "--ssh-config", "/c"]) else {
            panic!("not understood");
        };
        assert!(options.data.is_absolute() && options.data.ends_with("here"));
        assert_eq!(options.ssh_config, Some(PathBuf::from("/c")));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(
            parsed(&["--dat"]).err().as_deref(),
            Some("`--dat` is no option.")
        );
        assert_eq!(
            parsed(&["--data"]).err().as_deref(),
            Some("`--data` needs a path after it.")
        );
        assert!(parsed(&["--data", ""]).is_err());
    }
}
