//! Support for tests: real repositories, a private OpenSSH server, a proxy that fails on purpose.

pub mod proxy;
pub mod repo;
pub mod sshd;
