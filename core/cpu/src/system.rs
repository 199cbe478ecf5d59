//! Facts about the host: memory, the processor's name, its instruction sets.

use icicle_algebra::isa;

/// Bytes of memory in all and free for new allocations, where the system tells (Linux).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    pub total: Option<u64>,
    pub free: Option<u64>,
}

/// Ask the system. A control group's limit counts as the total where it is lower.
pub(super) fn memory() -> Memory {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    parse_memory(&text, group)
}

fn parse_memory(text: &str, group: Option<u64>) -> Memory {
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    let total = kib("MemTotal").map(|total| total.min(group.unwrap_or(u64::MAX)));
    let free = kib("MemAvailable").map(|free| free.min(total.unwrap_or(u64::MAX)));
    Memory { total, free }
}

/// The processor's marketing name.
pub(super) fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    parse_processor(&text).unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

fn parse_processor(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Instruction sets the kernels could use, each `yes` or `no`, and the vector instructions they do use.
pub(super) fn facts() -> Vec<(String, String)> {
    let fact = |(name, present): (&str, bool)| (name.to_owned(), if present { "yes" } else { "no" }.to_owned());
    let mut facts = vec![("architecture".to_owned(), std::env::consts::ARCH.to_owned())];
    facts.extend(instruction_sets().into_iter().map(fact));
    facts.push(("vector instructions".to_owned(), isa::chosen().name().to_owned()));
    facts
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<(&'static str, bool)> {
    vec![
        ("adx", is_x86_feature_detected!("adx")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
        ("avx512vbmi", is_x86_feature_detected!("avx512vbmi")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<(&'static str, bool)> {
    vec![
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<(&'static str, bool)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_systems_table() {
        let text = "MemTotal:       24576 kB\nMemFree:          100 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(parse_memory(text, None), Memory { total: Some(24576 << 10), free: Some(2048 << 10) });
        assert_eq!(parse_memory(text, Some(4096)), Memory { total: Some(4096), free: Some(4096) });
        assert_eq!(parse_memory("", None), Memory::default());
        assert_eq!(parse_memory("MemTotal: many kB", None), Memory::default());
    }

    #[test]
    fn the_processors_name_is_read_or_made_up() {
        assert_eq!(parse_processor("vendor_id : x\nmodel name\t: A  CPU @ 2 GHz\n").unwrap(), "A  CPU @ 2 GHz");
        assert_eq!(parse_processor("model name\t: \n"), None);
        assert!(!processor().is_empty());
    }
}
