//! Processes on the hosts of a network, each a rank, which do what they are told by lines and answer by lines.

use super::common::{devices, every_operation, options, sum};
use super::network::Network;
use icicle_array::DType;
use icicle_comm::{Communicator, ReduceOp, UniqueId};
use icicle_error::Result;
use icicle_params::FieldId;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// Set for a process that is a rank.
const IS_RANK: &str = "ICICLE_COMM_TEST_HOST";
/// What answers begin with, to be told from what the test harness prints.
const ANSWER: &str = "@ ";

/// A rank's process, as the test has it.
struct Rank {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

/// The ranks of a network, one on each host.
pub struct Ranks(Vec<Rank>);

/// What a rank answered.
#[derive(Debug)]
pub struct Answer {
    /// `ok`, or the error's code.
    pub code: String,
    /// How long it took.
    pub seconds: f64,
    /// The error.
    pub text: String,
}

impl Ranks {
    /// Start a process on each host.
    pub fn start(network: &Network) -> Self {
        let start = |host: usize| {
            let mut command = network.command(host, &env::current_exe().unwrap());
            command.args(["--exact", "ranks::child", "--nocapture", "--test-threads=1"]);
            command.env(IS_RANK, "1").env("RANK", host.to_string()).env("WORLD_SIZE", network.size.to_string());
            command.env("MASTER_ADDR", network.address(0).to_string()).env("MASTER_PORT", "29500");
            command.env("ADDRESS", network.address(host).to_string());
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut process = command.spawn().unwrap();
            let (sender, answers) = channel();
            let lines = BufReader::new(process.stdout.take().unwrap()).lines();
            thread::spawn(move || {
                let answers = lines.map_while(std::result::Result::ok);
                let answers = answers.filter_map(|line| line.strip_prefix(ANSWER).map(str::to_owned));
                answers.map_while(|answer| sender.send(answer).ok()).for_each(drop);
            });
            Rank { commands: process.stdin.take().unwrap(), process, answers }
        };
        Self((0..network.size).map(start).collect())
    }

    /// Tell a rank to do something.
    pub fn tell(&mut self, rank: usize, command: &str) {
        writeln!(self.0[rank].commands, "{command}").unwrap();
    }

    /// Tell every rank.
    pub fn tell_all(&mut self, command: &str) {
        (0..self.0.len()).for_each(|rank| self.tell(rank, command));
    }

    /// What a rank answers, within so many seconds: a rank that hangs fails the test.
    pub fn answer(&self, rank: usize, within: f64) -> Answer {
        let answer = match self.0[rank].answers.recv_timeout(Duration::from_secs_f64(within)) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => panic!("rank {rank} hangs: no answer in {within} s"),
            Err(RecvTimeoutError::Disconnected) => panic!("rank {rank} ended"),
        };
        let mut words = answer.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let answer = Answer { code: word(), seconds: word().parse().unwrap(), text: word() };
        println!("rank {rank}: {answer:?}");
        answer
    }

    /// Every rank does something, and succeeds.
    pub fn succeed(&mut self, command: &str, within: f64) {
        self.tell_all(command);
        for rank in 0..self.0.len() {
            let answer = self.answer(rank, within);
            assert_eq!(answer.code, "ok", "{command}, rank {rank}: {answer:?}");
        }
    }

    pub fn kill(&mut self, rank: usize) {
        self.0[rank].process.kill().unwrap();
        self.0[rank].process.wait().unwrap();
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        for rank in &mut self.0 {
            let _ = rank.process.kill();
            let _ = rank.process.wait();
        }
    }
}

/// What a rank's process does; nothing where it is none.
#[test]
fn child() {
    if env::var_os(IS_RANK).is_none() {
        return;
    }
    let mut comm = None;
    for line in std::io::stdin().lines() {
        let (line, start) = (line.unwrap(), Instant::now());
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match obey(&mut comm, &words) {
            Ok(()) => format!("ok {:.2}", start.elapsed().as_secs_f64()),
            Err(error) => format!("{:?} {:.2} {error}", error.code, start.elapsed().as_secs_f64()),
        };
        println!("\n{ANSWER}{answer}");
    }
}

/// Do what a line says.
fn obey(comm: &mut Option<Communicator>, words: &[&str]) -> Result<()> {
    match (words, &comm) {
        // The communicator before is gone first, as its connections.
        (["join", seconds], _) => {
            *comm = None;
            *comm = Some(Communicator::from_env(devices(1)[0], &options(seconds.parse().unwrap()))?);
        }
        (["meet", file, seconds], _) => *comm = Some(meet(Path::new(file), seconds.parse().unwrap())?),
        (["sum", n, calls], Some(comm)) => {
            (0..calls.parse().unwrap()).try_for_each(|round| sums(comm, n.parse().unwrap(), round))?;
        }
        (["operations"], Some(comm)) => {
            for (t, n) in [(DType::Float32.into(), 20_000), (FieldId::Bn254Scalar.into(), 33), (DType::Int8.into(), 1)]
            {
                every_operation(comm, t, n)?;
            }
        }
        (["split"], Some(comm)) => {
            let part = comm.split(Some(comm.rank() as u32 % 2), 0)?.unwrap();
            assert_eq!(sum(&part, 5)?, 5 * part.size() as i64);
        }
        (["finish"], Some(_)) => comm.take().unwrap().finalize()?,
        _ => panic!("{words:?}"),
    }
    Ok(())
}

/// A communicator by an id, which rank 0 writes to a file.
fn meet(file: &Path, seconds: f64) -> Result<Communicator> {
    let number = |name: &str| env::var(name).unwrap().parse::<usize>().unwrap();
    let rank = number("RANK");
    let id = if rank == 0 {
        let id = UniqueId::at(SocketAddr::new(env::var("ADDRESS").unwrap().parse().unwrap(), 0))?;
        let begun = file.with_extension("begun");
        fs::write(&begun, id.to_bytes()).unwrap();
        fs::rename(begun, file).unwrap();
        id
    } else {
        while !file.exists() {
            thread::sleep(Duration::from_millis(10));
        }
        UniqueId::from_bytes(&fs::read(file).unwrap().try_into().unwrap())?
    };
    Communicator::init_rank(&id, number("WORLD_SIZE"), rank, devices(1)[0], &options(seconds).check(true))
}

/// A sum whose elements are known, and differ by rank, place and round.
fn sums(comm: &Communicator, n: usize, round: usize) -> Result<()> {
    let of = |rank: usize, i: usize| ((i + round) as i64).wrapping_mul(rank as i64 + 1);
    let send: Vec<i64> = (0..n).map(|i| of(comm.rank(), i)).collect();
    let mut recv = vec![-1; n];
    comm.all_reduce(DType::Int64, ReduceOp::Sum, n, &send, &mut recv)?;
    let all = comm.size() * (comm.size() + 1) / 2;
    let wrong = recv.iter().enumerate().find(|(i, sum)| **sum != of(all - 1, *i));
    assert_eq!(wrong, None, "rank {}, round {round}", comm.rank());
    Ok(())
}
