//! What a run of the generator can fail with.

/// Any error, as text for whoever runs it.
pub type Error = Box<dyn std::error::Error>;
