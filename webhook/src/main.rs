//! The `walguard` command.

use std::process::ExitCode;

#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The allocator asks for pages of 2 MiB, which the kernel fills with zeros at the first byte: of one file, a third of the time and half of the
    // memory. Where it cannot be asked otherwise, all goes on as before.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    walguard::cli::main()
}
