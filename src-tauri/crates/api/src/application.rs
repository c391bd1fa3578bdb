//! The application as a window holds it: open, or not to be opened, with the ways out of that.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use rollcall_registry::Registry;
use tokio::runtime::Handle;

use crate::announce::Event;
use crate::app::{App, Settings};
use crate::error::{ApiError, ErrorCode};
use crate::present;
use crate::wire::BackupRow;

/// What hears the application's events.
type Hear = Arc<dyn Fn(Event) + Send + Sync>;

/// Holds the application, or why its registry cannot be opened.
pub struct Application {
    settings: Settings,
    runtime: Handle,
    hear: Hear,
    app: RwLock<Result<Arc<App>, ApiError>>,
}

impl Application {
    /// Opens the application; whether that worked, says [`Application::app`]. Events are handed to `hear`.
    pub async fn start(
        settings: Settings,
        runtime: Handle,
        hear: impl Fn(Event) + Send + Sync + 'static,
    ) -> Self {
        let hear: Hear = Arc::new(hear);
        let app = open(settings.clone(), runtime.clone(), Arc::clone(&hear)).await;
        Self {
            settings,
            runtime,
            hear,
            app: RwLock::new(app),
        }
    }

    /// The application.
    ///
    /// # Errors
    /// Why its registry could not be opened.
    pub fn app(&self) -> Result<Arc<App>, ApiError> {
        self.app
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Tries again to open what could not be opened; an open application stays as it is.
    ///
    /// # Errors
    /// Why it still cannot be.
    pub async fn reopen(&self) -> Result<(), ApiError> {
        if self.app().is_ok() {
            return Ok(());
        }
        let settings = self.settings.clone();
        let (runtime, hear) = (self.runtime.clone(), Arc::clone(&self.hear));
        let app = self.done(|| open(settings, runtime, hear)).await;
        let opened = app.as_ref().map(|_| ()).map_err(Clone::clone);
        *self.app.write().unwrap_or_else(PoisonError::into_inner) = app;
        opened
    }

    /// Copies of the registry that are whole, newest first.
    ///
    /// # Errors
    /// If their folder cannot be read.
    pub async fn backups(&self) -> Result<Vec<BackupRow>, ApiError> {
        let folder = self.settings.folder.clone();
        self.done(|| async move {
            let backups = Registry::backups(&folder).await?;
            Ok(backups.into_iter().map(present::backup).collect())
        })
        .await
    }

    /// Puts a copy in the place of a registry that cannot be opened, which is set aside, and opens it.
    ///
    /// # Errors
    /// If the registry is open; if the copy cannot be used or the folder not be written.
    pub async fn restore_backup(&self, name: String) -> Result<(), ApiError> {
        self.only_if_closed()?;
        let folder = self.settings.folder.clone();
        self.done(|| async move { Ok(Registry::restore(&folder, &name, Timestamp::now()).await?) })
            .await?;
        self.reopen().await
    }

    /// Sets a registry that cannot be opened aside, and begins a new one.
    ///
    /// # Errors
    /// If the registry is open; if the folder cannot be written.
    pub async fn start_anew(&self) -> Result<(), ApiError> {
        self.only_if_closed()?;
        let folder = self.settings.folder.clone();
        self.done(|| async move { Ok(Registry::start_anew(&folder, Timestamp::now()).await?) })
            .await?;
        self.reopen().await
    }

    /// Does something to its end, even if nobody waits for it any more. It works on the disk, and holds up nothing
    /// else.
    async fn done<T, F>(&self, work: impl FnOnce() -> F + Send + 'static) -> Result<T, ApiError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ApiError>>,
    {
        let runtime = self.runtime.clone();
        self.runtime
            .spawn_blocking(move || runtime.block_on(work()))
            .await
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?
    }

    fn only_if_closed(&self) -> Result<(), ApiError> {
        match self.app() {
            Ok(_) => Err(ApiError::new(
                ErrorCode::InvalidInput,
                "The registry is open and needs no replacement.",
            )),
            Err(_) => Ok(()),
        }
    }
}

async fn open(settings: Settings, runtime: Handle, hear: Hear) -> Result<Arc<App>, ApiError> {
    match App::open(settings, runtime.clone()).await {
        Ok((app, mut events)) => {
            runtime.spawn(async move {
                while let Some(event) = events.recv().await {
                    hear(event);
                }
            });
            Ok(Arc::new(app))
        }
        Err(error) => {
            tracing::error!(%error, "the registry could not be opened");
            Err(error)
        }
    }
}
