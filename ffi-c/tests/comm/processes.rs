//! Ranks as processes: this test binary starts itself.

use super::*;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const JOB: &str = "ICICLE_C_COMM_JOB";

/// This test binary again, to be a rank.
fn start(job: &str, rank: usize, size: usize, more: &[(&str, String)]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "processes::child", "--nocapture", "--test-threads=1"]).env(JOB, job);
    command.env("RANK", rank.to_string()).env("WORLD_SIZE", size.to_string());
    command.envs(more.iter().map(|(key, value)| (*key, value.as_str())));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn succeeded(child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
}

fn hex(id: &CommId) -> String {
    id.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a started process does; nothing where no job is told.
#[test]
fn child() {
    let Ok(job) = std::env::var(JOB) else { return };
    let number = |name: &str| -> usize { std::env::var(name).unwrap().parse().unwrap() };
    let (rank, size) = (number("RANK"), number("WORLD_SIZE"));
    let comm = if job == "environment" {
        let mut made = null_mut();
        ok(unsafe { icicle_comm_from_env(&cpu(rank as i32), &config(30.0), &mut made) });
        made.addr()
    } else {
        let text = std::env::var("ID").unwrap();
        let bytes: Vec<u8> = (0..128).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect();
        let id = CommId { bytes: bytes.try_into().unwrap() };
        join(&id, size as i32, rank as i32, &config(30.0)).unwrap_or_else(|_| panic!("{}", message()))
    };
    every_operation(rank, comm, size);
    if job == "hang" {
        std::thread::sleep(Duration::from_secs(60));
    }
    ok(icicle_comm_finalize(handle(comm)));
}

#[test]
fn processes_work_together() {
    let id = new_id();
    let others: Vec<_> = (1..3).map(|rank| start("id", rank, 3, &[("ID", hex(&id))])).collect();
    let comm = join(&id, 3, 0, &config(30.0)).unwrap_or_else(|_| panic!("{}", message()));
    every_operation(0, comm, 3);
    ok(icicle_comm_finalize(handle(comm)));
    others.into_iter().for_each(succeeded);

    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let more = [("MASTER_ADDR", "127.0.0.1".to_owned()), ("MASTER_PORT", port.to_string())];
    let all: Vec<_> = (0..2).map(|rank| start("environment", rank, 2, &more)).collect();
    all.into_iter().for_each(succeeded);
}

#[test]
fn a_killed_process_is_an_error_of_the_others() {
    let id = new_id();
    let mut other = start("hang", 1, 2, &[("ID", hex(&id))]);
    let comm = join(&id, 2, 0, &config(30.0)).unwrap_or_else(|_| panic!("{}", message()));
    every_operation(0, comm, 2);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| (sum(comm, 1).0, message()));
        std::thread::sleep(Duration::from_millis(100));
        other.kill().unwrap();
        let (code, text) = waiting.join().unwrap();
        assert_eq!(code, Code::RemoteError, "{text}");
        assert!(text.contains("rank 1"), "{text}");
    });
    other.wait().unwrap();
    destroy(vec![comm]);
}
