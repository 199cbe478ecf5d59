//! The edge of the library: no panic crosses it, every failure becomes a code, and its text stays with the thread.

use crate::code::{self, Code};
use icicle::{Error, ErrorCode, Result};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static ICICLE_NAME: Cell<bool> = const { Cell::new(false) };
}

/// Whether the call came through one of ICICLE's names, where ICICLE's rules hold.
pub(crate) fn is_icicle_name() -> bool {
    ICICLE_NAME.get()
}

/// Run the body of an entry of ICICLE's name. Bodies do not unwind: those they call are guarded.
pub(crate) fn icicle_name<T>(body: impl FnOnce() -> T) -> T {
    let before = ICICLE_NAME.replace(true);
    let value = body();
    ICICLE_NAME.set(before);
    value
}

/// Run the body of an entry; its error or panic becomes a code, remembered with its text.
pub(crate) fn guard(op: &'static str, body: impl FnOnce() -> Result<()>) -> Code {
    match run(op, body) {
        Ok(()) => Code::Success,
        Err(error) => {
            let code = Code::from(error.code);
            code::remember(code, error);
            code
        }
    }
}

/// As [`guard`], for entries of ICICLE's name: its clients know the codes 0 to 11 only.
pub(crate) fn guard_icicle(op: &'static str, body: impl FnOnce() -> Result<()>) -> Code {
    icicle_name(|| guard(op, body)).for_icicle()
}

/// As [`guard`], for entries that return a value: a failure returns `otherwise` and is remembered.
pub(crate) fn guard_or<T>(op: &'static str, otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    run(op, body).unwrap_or_else(|error| {
        code::remember(Code::from(error.code), error);
        otherwise
    })
}

fn run<T>(op: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    // The state a panic can leave half-made is the body's own, which is gone.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(caught(op, payload)))
}

fn caught(op: &'static str, payload: Box<dyn Any + Send>) -> Error {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "of no text".to_owned(),
    };
    // A payload's destructor may panic in its turn.
    std::mem::forget(payload);
    Error::new(ErrorCode::Internal, op, format!("panic {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_code_and_a_message() {
        let code = guard("op", || panic!("at the disco"));
        assert_eq!(code, Code::Internal);
        assert_eq!(code::take(), Some((Code::Internal, "op: panic at the disco".to_owned())));
        assert_eq!(guard_icicle("op", || panic!("again")), Code::InvalidArgument);
    }

    #[test]
    fn only_entries_of_icicles_name_have_icicles_rules() {
        assert!(!guard_or("op", true, || Ok(is_icicle_name())));
        assert_eq!(guard_icicle("op", || if is_icicle_name() { Ok(()) } else { panic!("not told") }), Code::Success);
        assert_eq!(guard_icicle("op", || panic!("on purpose")), Code::InvalidArgument);
        assert!(!is_icicle_name());
    }

    #[test]
    fn a_value_has_a_default() {
        assert_eq!(guard_or("op", 7, || Err(Error::argument("op", "x 1: must be 2"))), 7);
        assert_eq!(code::take(), Some((Code::InvalidArgument, "op: x 1: must be 2".to_owned())));
        assert_eq!(guard_or("op", 7, || Ok(8)), 8);
    }
}
