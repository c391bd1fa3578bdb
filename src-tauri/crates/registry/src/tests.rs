//! Every verb on a real file.

mod files;
mod mirror;
mod people;
mod places;
mod world;
