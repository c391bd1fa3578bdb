//! Support for tests: real repositories, a private OpenSSH server, a proxy that fails on purpose, and
//! somebody who works in a folder.

pub mod proxy;
pub mod repo;
pub mod resident;
pub mod sshd;
