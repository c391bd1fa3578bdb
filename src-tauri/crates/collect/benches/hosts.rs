//! What reaching hosts costs. Prints one line per figure, its parts separated by tabs: name, how many hosts, the
//! figure's milliseconds, the floor's milliseconds, rows written (none here). `cargo xtask bench` reads them. A figure
//! and its floor are measured in turns, so that what else the machine does falls on both.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure of a measurement has to be loud, and its figures are printed"
)]

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rollcall_collect::{Collector, SshEnvironment};
use rollcall_converge::{Address, Caller, Host, HostId, SshTarget};
use rollcall_testkit::sshd::{Sshd, SshdOptions};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use uuid::Uuid;

/// Turns of each figure.
const TURNS: usize = 9;

fn host(n: u128, port: Option<u16>) -> Host {
    Host {
        id: HostId::new(Uuid::from_u128(n)),
        label: format!("host-{n}"),
        address: Address::Ssh(SshTarget {
            destination: "private".to_owned(),
            port,
            ..SshTarget::default()
        }),
        suspended: false,
        sign_in: None,
    }
}

fn here() -> Host {
    Host {
        address: Address::Local,
        ..host(0, None)
    }
}

/// How long a host takes to be reached and to say what it is.
async fn answer(collector: &Collector, host: &Host) -> Duration {
    let begun = Instant::now();
    collector.check(host, Caller::Schedule).await.unwrap();
    begun.elapsed()
}

fn told(name: &str, hosts: usize, figure: Duration, floor: Option<Duration>) {
    let milliseconds = |it: Duration| it.as_secs_f64() * 1000.0;
    let floor = floor
        .map(|it| format!("{:.3}", milliseconds(it)))
        .unwrap_or_default();
    println!("{name}\t{hosts}\t{:.3}\t{floor}\t", milliseconds(figure));
}

#[tokio::main]
async fn main() {
    let sshd = Sshd::start(&SshdOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut environment = SshEnvironment::new(folder.path().join("known_hosts"));
    environment.config = Some(sshd.config_path());
    let collector = Collector::new(environment);

    let (mut warm, mut local, mut cold) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..TURNS {
        collector.forget(host(1, None).id);
        cold = cold.min(answer(&collector, &host(1, None)).await);
        warm = warm.min(answer(&collector, &host(1, None)).await);
        local = local.min(answer(&collector, &here()).await);
    }
    told("answer over a new connection", 1, cold, Some(local));
    told("answer over a kept connection", 1, warm, Some(local));

    // It takes connections and never says anything.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    for dead in [1, 3, 20] {
        let (mut alone, mut beside) = (Duration::MAX, Duration::MAX);
        for _ in 0..TURNS {
            collector.forget(host(1, None).id);
            alone = alone.min(answer(&collector, &host(1, None)).await);
            let mut asking = JoinSet::new();
            for n in 0..dead {
                let collector = collector.clone();
                asking.spawn(async move {
                    let host = host(100 + n, Some(port));
                    let checked = collector.check(&host, Caller::Schedule).await;
                    assert!(checked.is_err());
                });
            }
            // They are on their way before the one that answers is asked.
            let _one = silent.accept().unwrap();
            collector.forget(host(1, None).id);
            beside = beside.min(answer(&collector, &host(1, None)).await);
            asking.shutdown().await;
            for n in 0..dead {
                collector.forget(host(100 + n, None).id);
            }
        }
        let dead = usize::try_from(dead).unwrap();
        told(
            "answer beside hosts that never answer",
            dead,
            beside,
            Some(alone),
        );
    }

    let begun = Instant::now();
    // As many at once as the supervisor lets run.
    let turns = Arc::new(Semaphore::new(8));
    let mut asking = JoinSet::new();
    for n in 0..200 {
        let (collector, turns) = (collector.clone(), Arc::clone(&turns));
        asking.spawn(async move {
            let _turn = turns.acquire().await.unwrap();
            answer(&collector, &host(1_000 + n, None)).await
        });
    }
    while let Some(answered) = asking.join_next().await {
        answered.unwrap();
    }
    told(
        "every host has answered, eight at a time",
        200,
        begun.elapsed(),
        None,
    );
}
