//! The README's quickstart, run as a reader would: every fenced block of a section, in order, in a folder outside the
//! checkout, with this checkout as the clone and an installation made by the README's own command.
//!
//! `sh` blocks are run; a line of them that ends with `# prints TEXT` must print that as its last line. Blocks of other
//! languages are written to the file that their section's commands use. Python's belong to the Python suite.

use crate::checkout::root;
use crate::{golang, install, lock, tools};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Where blocks of a language go, and with which redirection.
const FILES: [(&str, &str, &str); 6] = [
    ("rust", "src/main.rs", ">"),
    ("toml", "Cargo.toml", ">>"),
    ("c", "hello.c", ">"),
    ("cpp", "hello.cpp", ">"),
    ("cmake", "CMakeLists.txt", ">"),
    ("go", "main.go", ">"),
];

/// The part of the README that is run.
const PART: &str = "## Quickstart";

/// A section of the part, and its blocks: language and text.
struct Section<'a> {
    name: &'a str,
    blocks: Vec<(&'a str, String)>,
}

/// Run every section that has something to run.
pub fn test(log: &mut File) -> Result<(), String> {
    // Builds the library, into the log of whichever suite comes first.
    install::shared(log)?;
    let readme = fs::read_to_string(root().join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let work = std::env::temp_dir().join(format!("icicle-readme-{}", std::process::id()));
    let outcome = run_all(&sections(&readme)?, &work, log);
    let _ = fs::remove_dir_all(&work);
    outcome
}

fn run_all(sections: &[Section], work: &Path, mut log: &File) -> Result<(), String> {
    let mut passed = 0;
    for section in sections {
        let Some(script) = script(section)? else { continue };
        run(section.name, &script, work, log).map_err(|error| format!("{}: {error}", section.name))?;
        writeln!(log, "test README, {} ... ok", section.name).map_err(|error| error.to_string())?;
        passed += 1;
    }
    writeln!(log, "test result: ok. {passed} passed; 0 failed").map_err(|error| error.to_string())
}

fn run(name: &str, script: &str, work: &Path, log: &File) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", work.display());
    let folder = work.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    fs::create_dir_all(folder.join(".cargo")).map_err(failed)?;
    // Where this folder's cargo builds, so that a later run finds it done; the clone's builds where it always does. What
    // the README has users optimise is not worth its minutes here, nor are fields and curves that its program does not name.
    let config = format!(
        "[build]\ntarget-dir = {:?}\nrustflags = [\"--cfg\", \"icicle_few\"]\n\
         [profile.dev]\ndebug = false\nincremental = false\n[profile.dev.package.\"*\"]\nopt-level = 0\n",
        tools::target().join("readme")
    );
    fs::write(folder.join(".cargo/config.toml"), config).map_err(failed)?;
    let path = folder.join("section.sh");
    fs::write(&path, script).map_err(failed)?;
    let mut command = Command::new("bash");
    command.arg(&path).current_dir(&folder).env(lock::HELD, "1");
    command.env("ICICLE", root()).env("PREFIX", work.join("prefix")).env("PATH", golang::path_with(&golang::find()?));
    tools::logged(&mut command, Some(log))
}

/// The sections of the part that is run, blocks in order.
fn sections(readme: &str) -> Result<Vec<Section<'_>>, String> {
    let mut lines = readme.lines().skip_while(|line| *line != PART).skip(1);
    let mut sections = vec![Section { name: PART.trim_start_matches(['#', ' ']), blocks: Vec::new() }];
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("### ") {
            sections.push(Section { name, blocks: Vec::new() });
        } else if line.starts_with("## ") {
            break;
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            sections.last_mut().ok_or("no section")?.blocks.push((language, block.join("\n")));
        }
    }
    if sections.iter().all(|section| section.blocks.is_empty()) {
        return Err(format!("README.md: no blocks below \"{PART}\""));
    }
    Ok(sections)
}

/// One script of a section; none if there is nothing to run.
fn script(section: &Section) -> Result<Option<String>, String> {
    let blocks: Vec<_> = section.blocks.iter().filter(|(language, _)| *language != "python").collect();
    if !blocks.iter().any(|(language, _)| *language == "sh") {
        let languages: Vec<_> = blocks.iter().map(|(language, _)| *language).collect();
        // A program that no command builds would pass by not being looked at.
        return if blocks.is_empty() { Ok(None) } else { Err(format!("{languages:?} without an sh block")) };
    }
    let mut out = String::from("set -euo pipefail\n");
    for (language, text) in blocks {
        if *language == "sh" {
            text.lines().for_each(|line| out += &command_line(line));
            continue;
        }
        let file = FILES.iter().find(|(known, ..)| known == language);
        let (_, path, redirection) = file.ok_or_else(|| format!("a block of \"{language}\": where does it go?"))?;
        out += &format!("cat {redirection} {path} <<'END_OF_BLOCK'\n{text}\nEND_OF_BLOCK\n");
    }
    Ok(Some(out))
}

/// A line of an `sh` block, with a check of what it prints if the README says so.
fn command_line(line: &str) -> String {
    let Some((command, expected)) = line.split_once("# prints ") else { return format!("{line}\n") };
    let quoted = format!("'{}'", expected.trim().replace('\'', "'\\''"));
    format!(
        "printed=$({})\nprintf '%s\\n' \"$printed\"\n\
         [ \"$(tail -n 1 <<<\"$printed\")\" = {quoted} ] || {{ echo \"the last line must be\" {quoted}; exit 1; }}\n",
        command.trim()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)] // a test's way to fail
    use super::*;

    const README: &str = "\
# name\n```sh\nnot run\n```\n## Quickstart\n```sh\ncd there\n```\n### C\n```c\nint x;\n```\nand\n```sh\n./hello   # prints it's 3\n```\n\
### Python\n```python\npass\n```\n## More\n```sh\nnot run either\n```\n";

    #[test]
    fn sections_are_those_of_the_quickstart() {
        let sections = sections(README).unwrap();
        let names: Vec<_> = sections.iter().map(|section| (section.name, section.blocks.len())).collect();
        assert_eq!(names, [("Quickstart", 1), ("C", 2), ("Python", 1)]);
        assert_eq!(script(&sections[2]).unwrap(), None);
        let script = script(&sections[1]).unwrap().unwrap();
        assert!(script.contains("cat > hello.c <<'END_OF_BLOCK'\nint x;\nEND_OF_BLOCK\n"), "{script}");
        assert!(script.contains("printed=$(./hello)") && script.contains("'it'\\''s 3'"), "{script}");
    }

    #[test]
    fn what_would_not_be_looked_at_is_refused() {
        let refused = |readme: &str| match sections(readme) {
            Err(message) => message,
            Ok(sections) => sections.iter().find_map(|section| script(section).err()).unwrap(),
        };
        assert!(refused("# no quickstart\n```sh\nls\n```\n").contains("no blocks"));
        assert!(refused("## Quickstart\n```c\nint x;\n```\n").contains("without an sh block"));
        assert!(refused("## Quickstart\n```sh\nls\n```\n```java\nx\n```\n").contains("java"));
    }

    /// The check fails when it must: bash runs what `command_line` makes.
    #[test]
    fn a_wrong_output_fails() {
        let ends = |line: &str| {
            let script = format!("set -euo pipefail\n{}", command_line(line));
            Command::new("bash").args(["-c", &script]).output().unwrap().status.success()
        };
        assert!(ends("printf 'a\\n11 22 2\\n'   # prints 11 22 2"));
        assert!(!ends("printf '11 22 2\\na\\n'   # prints 11 22 2"));
        assert!(!ends("false   # prints"));
        assert!(ends("true   # no check"));
    }
}
