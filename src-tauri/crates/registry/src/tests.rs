//! Every verb on a real file.

mod backups;
mod decisions;
mod files;
mod forgotten;
mod groups;
mod histories;
mod looks;
mod mirror;
mod people;
mod places;
mod portable;
mod schemas;
mod tombstones;
mod trash;
mod world;
