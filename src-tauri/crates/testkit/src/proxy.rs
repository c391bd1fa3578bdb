//! A TCP proxy that cuts or stalls a connection where a test wants it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// No limit on the bytes that come through.
const ENDLESS: u64 = u64::MAX;

#[derive(Debug)]
struct Shared {
    target: Mutex<SocketAddr>,
    /// Bytes from server to client, over all connections since the limits were set.
    passed: AtomicU64,
    cut_after: AtomicU64,
    stall_after: AtomicU64,
    /// Connections that were ever made.
    made: AtomicU64,
    /// The last connection of those of which nothing comes through any more.
    stalled: AtomicU64,
    ended: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

/// Forwards connections to a server on loopback. Dropping it cuts them.
#[derive(Debug)]
pub struct FaultProxy {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl FaultProxy {
    /// Listens on a free port and forwards to `target`.
    ///
    /// # Errors
    /// If no port can be had.
    pub fn start(target: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            target: Mutex::new(target),
            passed: AtomicU64::new(0),
            cut_after: AtomicU64::new(ENDLESS),
            stall_after: AtomicU64::new(ENDLESS),
            made: AtomicU64::new(0),
            stalled: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            open: Mutex::new(Vec::new()),
        });
        let proxy = Self {
            shared: Arc::clone(&shared),
            address,
        };
        thread::spawn(move || {
            for client in listener.incoming() {
                if shared.ended.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(client) = client else { continue };
                if let Err(error) = join(client, &shared) {
                    // The client sees a closed connection, as it should of a server that is down.
                    drop(error);
                }
            }
        });
        Ok(proxy)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Bytes that have come from the server since the last limit was set.
    pub fn passed(&self) -> u64 {
        self.shared.passed.load(Ordering::SeqCst)
    }

    /// Counts from zero and lets everything through.
    pub fn heal(&self) {
        self.limits(ENDLESS, ENDLESS);
    }

    /// Counts from zero and cuts every connection once so many bytes have come from the server.
    pub fn cut_after(&self, bytes: u64) {
        self.limits(bytes, ENDLESS);
    }

    /// Counts from zero and lets nothing more through once so many bytes have come from the server, without
    /// closing anything.
    pub fn stall_after(&self, bytes: u64) {
        self.limits(ENDLESS, bytes);
    }

    /// Lets nothing more through of connections that are open now, without closing any; others are not affected.
    pub fn stall_open(&self) {
        let made = self.shared.made.load(Ordering::SeqCst);
        self.shared.stalled.store(made, Ordering::SeqCst);
    }

    /// Cuts what is open now.
    pub fn cut_now(&self) {
        self.shared.cut();
    }

    fn limits(&self, cut: u64, stall: u64) {
        self.shared.passed.store(0, Ordering::SeqCst);
        self.shared.cut_after.store(cut, Ordering::SeqCst);
        self.shared.stall_after.store(stall, Ordering::SeqCst);
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.shared.cut();
        // Wakes the listener, which then ends.
        drop(TcpStream::connect_timeout(
            &self.address,
            Duration::from_secs(1),
        ));
    }
}

impl Shared {
    fn cut(&self) {
        for stream in self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            // It may be closed already.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// How many of `bytes` may pass now. `None` means that the connection is to be cut after them.
    fn admit(&self, bytes: usize) -> (usize, bool) {
        let bytes = bytes as u64;
        let before = self.passed.fetch_add(bytes, Ordering::SeqCst);
        let cut = self.cut_after.load(Ordering::SeqCst);
        let stall = self.stall_after.load(Ordering::SeqCst);
        let room = cut.min(stall).saturating_sub(before).min(bytes);
        (
            usize::try_from(room).unwrap_or(usize::MAX),
            before.saturating_add(bytes) >= cut,
        )
    }
}

fn join(client: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let target = *shared.target.lock().unwrap_or_else(PoisonError::into_inner);
    let server = TcpStream::connect_timeout(&target, Duration::from_secs(5))?;
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    {
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(client.try_clone()?);
        open.push(server.try_clone()?);
    }
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        drop(io::copy(&mut from_client, &mut to_server));
        drop(to_server.shutdown(Shutdown::Write));
    });
    let number = shared.made.fetch_add(1, Ordering::SeqCst) + 1;
    let shared = Arc::clone(shared);
    thread::spawn(move || drop(answer(server, client, &shared, number)));
    Ok(())
}

fn answer(
    mut server: TcpStream,
    mut client: TcpStream,
    shared: &Shared,
    number: u64,
) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let n = server.read(&mut buffer)?;
        if n == 0 {
            return client.shutdown(Shutdown::Write);
        }
        if number <= shared.stalled.load(Ordering::SeqCst) {
            continue;
        }
        let (room, cut) = shared.admit(n);
        client.write_all(buffer.get(..room).unwrap_or_default())?;
        if cut {
            server.shutdown(Shutdown::Both)?;
            return client.shutdown(Shutdown::Both);
        }
    }
}
