//! How many processes a roll call starts, and what other shells and older gits make of it.
