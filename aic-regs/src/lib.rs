#![cfg_attr(not(test), no_std)]
//! Under construction.
