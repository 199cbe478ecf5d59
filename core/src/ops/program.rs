//! Programs: arithmetic circuits over vectors, executed position by position.

/// Checked arguments of an execution.
#[derive(Debug)]
pub struct ExecuteArgs;
