//! Running suites: progress while they run, a log of each, and a summary.

use crate::checkout::root;
use crate::queue::Queue;
use crate::suite::{Suite, Work};
use crate::tools;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most characters of a log's last line that a sign of life shows.
const WIDTH: usize = 100;

/// What came of the suites so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    broken: Vec<&'static str>,
}

/// Run the suites whose names contain one of the words (all, without words), so many at once. Logs go to `target/xtask/`.
///
/// # Errors
/// A word that no suite's name contains, before anything runs; failed suites.
pub fn run(suites: &[Suite], words: &[String], at_once: usize) -> Result<(), String> {
    let chosen = choose(suites, words)?;
    let logs = root().join("target/xtask");
    std::fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let begin = Instant::now();
    let (queue, tally) = (Queue::new(&chosen), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(i) = queue.take() {
                    println!("[{}/{}] {} …", i + 1, chosen.len(), chosen[i].name);
                    let path = logs.join(format!("{}.log", chosen[i].name.replace(' ', "-")));
                    work_off(chosen[i], &path, &tally);
                    queue.done(i);
                }
            });
        }
    });
    let Tally { passed, failed, broken } = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (seconds, processors) = (begin.elapsed().as_secs_f64(), processor_seconds());
    println!("{} suites in {seconds:.0} s, {processors:.0} s of processors", chosen.len());
    println!("{passed} passed, {failed} failed");
    if broken.is_empty() { Ok(()) } else { Err(format!("failed: {}", broken.join(", "))) }
}

/// Run one suite, and say and add to the tally what came of it.
fn work_off(suite: &Suite, path: &Path, tally: &Mutex<Tally>) {
    let start = Instant::now();
    let outcome = while_watching(suite.name, path, || run_one(suite, path));
    let log = std::fs::read_to_string(path).unwrap_or_default();
    let (p, f) = counts(&log);
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    tally.passed += p;
    tally.failed += f;
    let (name, seconds) = (suite.name, start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) if p == 0 => println!("      {name}: ok, {seconds:.1} s"),
        Ok(()) => println!("      {name}: ok, {p} tests, {seconds:.1} s"),
        Err(message) => {
            let tail: Vec<&str> = log.lines().rev().take(60).collect();
            tail.iter().rev().for_each(|line| println!("      | {line}"));
            println!("      {name}: FAILED, {seconds:.1} s: {message} (log: {})", path.display());
            tally.failed += usize::from(f == 0);
            tally.broken.push(suite.name);
            return;
        }
    }
    tally.passed += usize::from(p + f == 0);
}

/// Processor seconds of the programs that ended, with theirs; 0 where the system does not say.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything in its parentheses: the state, then numbers; Linux counts a hundred a second.
    let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    numbers.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn choose<'a>(suites: &'a [Suite], words: &[String]) -> Result<Vec<&'a Suite>, String> {
    let has = |suite: &Suite, word: &String| suite.name.contains(word.as_str());
    if let Some(word) = words.iter().find(|word| !suites.iter().any(|suite| has(suite, word))) {
        let names: Vec<&str> = suites.iter().map(|suite| suite.name).collect();
        return Err(format!("no suite's name contains \"{word}\"; the suites are: {}", names.join(", ")));
    }
    Ok(suites.iter().filter(|suite| words.is_empty() || words.iter().any(|word| has(suite, word))).collect())
}

/// Do the work, and meanwhile show every 20 seconds, every minute in continuous integration, that something moves.
fn while_watching<T>(name: &str, log: &Path, work: impl FnOnce() -> T) -> T {
    let pause = Duration::from_secs(if std::env::var_os("CI").is_some() { 60 } else { 20 });
    let start = Instant::now();
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                println!("      {name}: {} s  {}", start.elapsed().as_secs(), last_line(log));
            }
        });
        let outcome = work();
        drop(done);
        outcome
    })
}

/// The last line of a log that is not empty, cut to fit.
fn last_line(path: &Path) -> String {
    let tail = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let bytes = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(bytes.saturating_sub(4096)))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        Ok(String::from_utf8_lossy(&tail).into_owned())
    };
    let tail = tail().unwrap_or_default();
    let line = tail.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(WIDTH).collect()
}

fn run_one(suite: &Suite, path: &Path) -> Result<(), String> {
    let mut log = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    match &suite.work {
        Work::Function(function) => function(&mut log),
        Work::Commands(commands) => commands.iter().try_for_each(|command| {
            let mut fresh = Command::new(command.get_program());
            fresh.args(command.get_args()).current_dir(root());
            command.get_envs().for_each(|(k, v)| {
                v.map(|v| fresh.env(k, v));
            });
            tools::logged(&mut fresh, Some(&log))
        }),
    }
}

/// Tests passed and failed, from the closing line of cargo, which our pytest has too, and Go's line for each test.
fn counts(log: &str) -> (usize, usize) {
    let number = |line: &str, word: &str| -> usize {
        let before = line.split(word).next().unwrap_or_default();
        before.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let of_go = |outcome: &str| log.lines().filter(|line| line.trim_start().starts_with(outcome)).count();
    log.lines()
        .filter(|line| line.starts_with("test result:"))
        .fold((of_go("--- PASS: "), of_go("--- FAIL: ")), |(p, f), line| {
            (p + number(line, " passed"), f + number(line, " failed"))
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)] // a test's way to fail
    use super::*;
    use crate::suites;

    #[test]
    fn tests_are_counted_in_every_runners_words() {
        let cargo = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n";
        let go = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- FAIL: TestB (0.1s)\n";
        let pytest = "test result: 319 passed; 1 failed\n==== 1 failed, 319 passed, 2 skipped in 12.34s ====\n";
        assert_eq!(counts(cargo), (3, 0));
        assert_eq!(counts(go), (2, 1));
        assert_eq!(counts(pytest), (319, 1));
        assert_eq!(counts(&[cargo, go, pytest].concat()), (324, 2));
        assert_eq!(counts("Checking icicle v0.1.0\nFinished\n"), (0, 0));
    }

    #[test]
    fn unknown_suites_are_refused_and_the_others_named() {
        let all = suites::all(false);
        let Err(message) = choose(&all, &["docs".into(), "nosuchsuite".into()]) else { panic!("must be refused") };
        assert!(message.contains("\"nosuchsuite\"") && message.contains("consumers"), "{message}");
        let chosen: Vec<_> = choose(&all, &["doc".into()]).unwrap().iter().map(|suite| suite.name).collect();
        assert_eq!(chosen, ["doc examples", "docs"]);
        assert_eq!(choose(&all, &[]).unwrap().len(), all.len());
    }

    #[test]
    fn the_last_line_is_short_and_not_empty() {
        let path = std::env::temp_dir().join(format!("icicle-xtask-{}.log", std::process::id()));
        std::fs::write(&path, format!("{}\nlast \x1b[1m{}\n\n \n", "x".repeat(9000), "y".repeat(200))).unwrap();
        let line = last_line(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(line.starts_with("last [1my") && line.chars().count() == WIDTH, "{line}");
        assert_eq!(last_line(&path), "");
    }
}
