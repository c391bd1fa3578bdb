//! Every verb on a real file.

mod backups;
mod decisions;
mod files;
mod forgotten;
mod groups;
mod histories;
mod journal;
mod looks;
mod mirror;
mod missing;
mod people;
mod places;
mod portable;
mod schemas;
mod texts;
mod tombstones;
mod trash;
mod views;
mod world;
