//! Hosts over SSH.

use std::path::Path;
use std::sync::Arc;

use rollcall_converge::{Failure, FailureCode, Host, HostId, SshTarget};

use crate::collector::SshEnvironment;
use crate::script::Tokens;

/// An alias of the ssh configuration, as far as it is written there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshAlias {
    /// The alias.
    pub alias: String,
    /// Its `HostName`.
    pub host_name: Option<String>,
    /// Its `User`.
    pub user: Option<String>,
    /// Its `Port`.
    pub port: Option<u16>,
}

pub(crate) fn aliases(_config: Option<&Path>) -> Vec<SshAlias> {
    Vec::new()
}

pub(crate) struct Connections;

impl Connections {
    pub(crate) fn new(_environment: Arc<SshEnvironment>) -> Self {
        Self
    }

    pub(crate) async fn run(
        &self,
        host: &Host,
        _target: &SshTarget,
        _input: Vec<u8>,
        _tokens: &Tokens,
    ) -> Result<Vec<u8>, Failure> {
        Err(Failure::new(
            FailureCode::Unsupported,
            format!("`{}` cannot be reached yet.", host.label),
        ))
    }

    pub(crate) async fn trust(
        &self,
        host: &Host,
        target: &SshTarget,
        _fingerprint: String,
    ) -> Result<(), Failure> {
        self.run(
            host,
            target,
            Vec::new(),
            &Tokens::random().ok_or_else(|| Failure::new(FailureCode::Unsupported, ""))?,
        )
        .await
        .map(drop)
    }

    pub(crate) fn forget(&self, _host: HostId) {}
}
