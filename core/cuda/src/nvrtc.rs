//! Kernels compiled when they are needed, by NVRTC: NVIDIA's compiler as a library, loaded if it is there.
#![allow(unsafe_code)]

pub use crate::loaded::Compiled;

use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::library::{self, NVRTC};
use crate::lock::lock;
use crate::module;
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

type Program = *mut c_void;
type Text = *const c_char;

/// Its functions, after nvrtc.h.
struct Functions {
    create: unsafe extern "C" fn(*mut Program, Text, Text, c_int, *const Text, *const Text) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const Text) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    message: unsafe extern "C" fn(c_int) -> Text,
}

fn functions() -> std::result::Result<&'static Functions, &'static String> {
    static FOUND: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    let load = || {
        let library = NVRTC.open()?;
        // SAFETY: the types are those of nvrtc.h; the library stays.
        let found = unsafe {
            Functions {
                create: library::function(&library, "nvrtcCreateProgram")?,
                destroy: library::function(&library, "nvrtcDestroyProgram")?,
                compile: library::function(&library, "nvrtcCompileProgram")?,
                log_size: library::function(&library, "nvrtcGetProgramLogSize")?,
                log: library::function(&library, "nvrtcGetProgramLog")?,
                cubin_size: library::function(&library, "nvrtcGetCUBINSize")?,
                cubin: library::function(&library, "nvrtcGetCUBIN")?,
                message: library::function(&library, "nvrtcGetErrorString")?,
            }
        };
        std::mem::forget(library);
        Ok(found)
    };
    FOUND.get_or_init(load).as_ref()
}

/// Why kernels cannot be compiled here, if they cannot.
pub fn unavailable() -> Option<&'static str> {
    functions().err().map(String::as_str)
}

impl Compiled {
    /// The function `run` of a source, which may include headers by their names; compiled on first use and kept for the life
    /// of the process.
    ///
    /// # Errors
    /// `Unsupported` where there is no NVRTC; `BackendLoadFailed` with its words if the source does not compile, or the
    /// driver refuses what it made.
    pub fn get(&self, op: &'static str, gpu: &Gpu, source: &str, headers: &[(&str, &str)]) -> Result<&'static Kernel> {
        let mut compiled = lock(&self.0);
        if let Some(known) = compiled.get(source) {
            return known.clone();
        }
        let kernel = make(op, gpu, source, headers);
        // A lost device is no property of the source, and memory may be there the next time.
        if !gpu.is_lost() && kernel.as_ref().err().is_none_or(|error| error.code != ErrorCode::OutOfMemory) {
            compiled.insert(source.to_owned(), kernel.clone());
        }
        kernel
    }
}

fn make(op: &'static str, gpu: &Gpu, source: &str, headers: &[(&str, &str)]) -> Result<&'static Kernel> {
    let [major, minor] = gpu.capability;
    let cubin = compile(op, source, headers, &format!("sm_{major}{minor}"))?;
    // SAFETY: what NVRTC made is well-formed; the driver copies it.
    let code = unsafe { module::load(gpu, "compiled", &cubin) }?;
    // SAFETY: just loaded, and never unloaded.
    let kernel = unsafe { module::function(gpu, "compiled", code, "run") }?;
    Ok(Box::leak(Box::new(kernel)))
}

/// The machine code of a source for an architecture such as `sm_90`.
///
/// # Errors
/// As [`Compiled::get`].
pub fn compile(op: &'static str, source: &str, headers: &[(&str, &str)], architecture: &str) -> Result<Vec<u8>> {
    let functions = functions().map_err(|why| {
        Error::unsupported(
            op,
            format!("arrays on CUDA devices need NVRTC: {why}; pip install nvidia-cuda-nvrtc has it"),
        )
    })?;
    let text = |s: &str| CString::new(s).map_err(|_| Error::argument(op, "source: holds a NUL"));
    let (source, run) = (text(source)?, text("run.cu")?);
    let texts = |list: &mut dyn Iterator<Item = &str>| list.map(text).collect::<Result<Vec<_>>>();
    let names = texts(&mut headers.iter().map(|&(name, _)| name))?;
    let bodies = texts(&mut headers.iter().map(|&(_, body)| body))?;
    // Rounded after each operation, as on CPUs: a product that enters a sum is not fused with it.
    let options = ["--std=c++17", "--fmad=false", &format!("--gpu-architecture={architecture}")];
    let options = texts(&mut options.into_iter())?;
    let pointers = |list: &[CString]| list.iter().map(|s| s.as_ptr()).collect::<Vec<_>>();
    let (name_list, body_list, option_list) = (pointers(&names), pointers(&bodies), pointers(&options));
    let failed = |what: &str, code: c_int, log: &str| {
        // SAFETY: a static text of the library's.
        let why = unsafe { CStr::from_ptr((functions.message)(code)) }.to_string_lossy();
        Error::new(ErrorCode::BackendLoadFailed, op, format!("NVRTC: {what}: {why}\n{log}"))
    };
    let mut program = Held { functions, program: null_mut() };
    // SAFETY: strings that end with NUL, as many as said, alive until the end.
    let code = unsafe {
        (functions.create)(
            &raw mut program.program,
            source.as_ptr(),
            run.as_ptr(),
            names.len() as c_int,
            if names.is_empty() { null() } else { body_list.as_ptr() },
            if names.is_empty() { null() } else { name_list.as_ptr() },
        )
    };
    if code != 0 {
        return Err(failed("create", code, ""));
    }
    // SAFETY: a program; options as above.
    let code = unsafe { (functions.compile)(program.program, option_list.len() as c_int, option_list.as_ptr()) };
    if code != 0 {
        // SAFETY: a program.
        let log = unsafe { program.bytes(functions.log_size, functions.log) }.unwrap_or_default();
        return Err(failed("compile", code, &String::from_utf8_lossy(&log)));
    }
    // SAFETY: a program that was compiled.
    unsafe { program.bytes(functions.cubin_size, functions.cubin) }.map_err(|code| failed("cubin", code, ""))
}

/// A program, destroyed in the end.
struct Held {
    functions: &'static Functions,
    program: Program,
}

impl Held {
    /// What a pair of functions gives: its length, then the bytes.
    ///
    /// # Safety
    /// They are such a pair, and apply to the program.
    unsafe fn bytes(
        &self,
        size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ) -> std::result::Result<Vec<u8>, c_int> {
        let mut length = 0usize;
        // SAFETY: the caller's.
        match unsafe { size(self.program, &raw mut length) } {
            0 => {}
            code => return Err(code),
        }
        let mut out = vec![0u8; length];
        // SAFETY: room for as many bytes as the library asked for.
        match unsafe { get(self.program, out.as_mut_ptr().cast()) } {
            0 => Ok(out),
            code => Err(code),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.program.is_null() {
            // SAFETY: ours, not used again.
            unsafe { (self.functions.destroy)(&raw mut self.program) };
        }
    }
}
