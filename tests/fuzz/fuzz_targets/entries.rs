//! Any bytes are a sequence of calls: no call may crash, read or write outside its buffers, or return a code of no name.
#![no_main]

#[path = "../src/drive.rs"]
mod drive;

libfuzzer_sys::fuzz_target!(|data: &[u8]| drive::drive(data));
