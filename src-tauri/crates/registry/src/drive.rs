//! What kind of drive the registry lies on. A write-ahead log needs memory that all processes share, which no network
//! drive gives: machines that open one registry there would damage it without noticing.

use std::path::Path;

use sqlx::sqlite::SqliteJournalMode;

/// File systems that other machines may have open, by the numbers that Linux gives them (`statfs(2)`).
#[cfg(target_os = "linux")]
const NETWORK: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x517b, "SMB"),
    (0x564c, "NCP"),
    (0x5346_414f, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
];

#[cfg(target_os = "linux")]
fn network(kind: u64) -> Option<&'static str> {
    NETWORK
        .iter()
        .find(|(number, _)| *number == kind)
        .map(|(_, name)| *name)
}

/// The type's width and sign differ between machines; the numbers fit into 32 bits.
#[cfg(target_os = "linux")]
fn low_half(kind: i128) -> u64 {
    u64::try_from(kind & 0xffff_ffff).unwrap_or_default()
}

/// The journal for a registry in a folder. What cannot be told is taken for a drive of this machine.
pub(crate) fn journal_mode(folder: &Path) -> SqliteJournalMode {
    #[cfg(target_os = "linux")]
    if let Some(name) = rustix::fs::statfs(folder)
        .ok()
        .and_then(|drive| network(low_half(i128::from(drive.f_type))))
    {
        tracing::info!(
            name,
            "the data folder is on a network drive: no write-ahead log"
        );
        return SqliteJournalMode::Truncate;
    }
    SqliteJournalMode::Wal
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn d1_rd03_a_network_drive_gets_no_write_ahead_log_and_a_local_one_does() {
        for (kind, name) in [
            (0x6969, Some("NFS")),
            (0xff53_4d42, Some("CIFS")),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(network(kind), name, "{kind:x}");
        }
        // As a number with a sign, on machines where it is one of 32 bits.
        assert_eq!(network(low_half(i128::from(-11_317_950_i32))), Some("CIFS"));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(journal_mode(folder.path()), SqliteJournalMode::Wal);
    }
}
