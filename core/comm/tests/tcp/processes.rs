//! Ranks as processes: this test binary starts itself, to do one of the jobs below.

use super::common::{connected, devices, every_operation, options, sum};
use icicle_array::DType;
use icicle_comm::{Communicator, Options, UniqueId};
use icicle_error::ErrorCode;
use icicle_params::FieldId;
use std::env;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a process is told.
const JOB: &str = "ICICLE_COMM_TEST_JOB";
const ID: &str = "ICICLE_COMM_TEST_ID";

/// Start a process that does a job.
pub fn start(job: &str, rank: usize, size: usize, id: Option<&UniqueId>, more: &[(&str, String)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "processes::child", "--nocapture", "--test-threads=1"]).env(JOB, job);
    command.env("RANK", rank.to_string()).env("WORLD_SIZE", size.to_string());
    if let Some(id) = id {
        let hex: String = id.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        command.env(ID, hex);
    }
    command.envs(more.iter().map(|(key, value)| (*key, value.as_str())));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn succeeded(child: Child) {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert!(status.success(), "{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
}

fn number(name: &str) -> usize {
    env::var(name).unwrap().parse().unwrap()
}

fn join(options: &Options) -> Communicator {
    let hex = env::var(ID).unwrap();
    let bytes: Vec<u8> = (0..128).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let id = UniqueId::from_bytes(&bytes.try_into().unwrap()).unwrap();
    let rank = number("RANK");
    let device = devices(super::common::DEVICES)[rank];
    Communicator::init_rank(&id, number("WORLD_SIZE"), rank, device, options).unwrap()
}

/// What a started process does; nothing where no job is told.
#[test]
fn child() {
    let Ok(job) = env::var(JOB) else { return };
    match &*job {
        "operations" => {
            let comm = join(&options(60.0));
            operations(&comm);
            comm.finalize().unwrap();
        }
        "environment" => {
            let comm = Communicator::from_env(devices(7)[number("RANK")], &options(30.0)).unwrap();
            operations(&comm);
            comm.finalize().unwrap();
        }
        // One call, and then nothing until it is killed.
        "hang" => {
            let comm = join(&options(60.0));
            sum(&comm, 1).unwrap();
            std::thread::sleep(Duration::from_secs(60));
        }
        "never" => drop(join(&options(60.0))),
        other => panic!("no job {other}"),
    }
}

fn operations(comm: &Communicator) {
    for (t, n) in [(DType::Float32.into(), 1000), (FieldId::Bn254Scalar.into(), 33), (DType::Int8.into(), 1)] {
        every_operation(comm, t, n).unwrap();
    }
}

#[test]
fn processes_work_together() {
    for size in [2, 3] {
        let id = UniqueId::new().unwrap();
        let others: Vec<Child> = (1..size).map(|rank| start("operations", rank, size, Some(&id), &[])).collect();
        let comm = Communicator::init_rank(&id, size, 0, devices(7)[0], &options(60.0)).unwrap();
        operations(&comm);
        comm.finalize().unwrap();
        others.into_iter().for_each(succeeded);
    }
}

/// While the other rank waits in a call: a child has the connections, but neither speaks through them nor ends them.
#[test]
fn a_forked_child_is_no_rank() {
    connected(2, &options(20.0), |comm| {
        let rank = comm.rank();
        let comm = Arc::new(Mutex::new(Some(comm)));
        let inherited = comm.clone();
        let child = move || {
            let Some(comm) = inherited.lock().unwrap().take() else { return Err(ErrorKind::NotFound.into()) };
            let error = sum(&comm, 1).unwrap_err();
            comm.abort();
            drop(comm);
            let is_told = error.code == ErrorCode::InvalidArgument && error.detail.contains("forked child");
            if is_told { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
        };
        if rank == 0 {
            let mut command = Command::new("true");
            // SAFETY: the child does what a child may, but for allocating, which this platform's allocator allows there.
            unsafe { command.pre_exec(child) };
            command.spawn().unwrap().wait().unwrap();
        }
        let comm = comm.lock().unwrap().take().unwrap();
        assert_eq!((sum(&comm, 1), comm.failure()), (Ok(2), None));
    });
}

#[test]
fn a_launchers_variables_make_a_communicator() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let all = |store: &str, port: u16| {
        let more = [
            ("MASTER_ADDR", "127.0.0.1".to_owned()),
            ("MASTER_PORT", port.to_string()),
            ("TORCHELASTIC_USE_AGENT_STORE", store.to_owned()),
            ("ICICLE_COMM_SECRET", "for this test".to_owned()),
        ];
        (0..3).map(|rank| start("environment", rank, 3, None, &more)).collect::<Vec<_>>()
    };
    all("False", port).into_iter().for_each(succeeded);
    // torchrun's own store has the port: the next one is used.
    let store = (0..50).find_map(|_| {
        let store = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let next = store.local_addr().unwrap().port().checked_add(1)?;
        std::net::TcpListener::bind(("127.0.0.1", next)).ok().map(|_| store)
    });
    let store = store.unwrap();
    all("True", store.local_addr().unwrap().port()).into_iter().for_each(succeeded);
}
