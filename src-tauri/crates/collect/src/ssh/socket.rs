//! What the bytes of a connection travel through: TCP, or one end of a pair whose other end something else serves.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;

use ssh2::Session;

/// One end of a pair of connected sockets. They are sockets, and no pipes, because libssh2 needs one.
#[cfg(unix)]
pub(crate) type Local = UnixStream;
#[cfg(not(unix))]
pub(crate) type Local = TcpStream;

/// Two connected sockets of this process.
pub(crate) fn pair() -> io::Result<(Local, Local)> {
    #[cfg(unix)]
    {
        UnixStream::pair()
    }
    #[cfg(not(unix))]
    {
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        let one = TcpStream::connect(listener.local_addr()?)?;
        loop {
            let (other, from) = listener.accept()?;
            // Anybody on this machine may connect in between.
            if from == one.local_addr()? {
                return Ok((one, other));
            }
        }
    }
}

/// The socket of a connection.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Local(UnixStream),
}

impl From<Local> for Socket {
    fn from(local: Local) -> Self {
        #[cfg(unix)]
        {
            Self::Local(local)
        }
        #[cfg(not(unix))]
        {
            Self::Tcp(local)
        }
    }
}

impl Socket {
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            #[cfg(unix)]
            Self::Local(stream) => Self::Local(stream.try_clone()?),
        })
    }

    /// Has a session speak through this.
    pub(crate) fn serve(&self, session: &mut Session) -> io::Result<()> {
        match self.try_clone()? {
            Self::Tcp(stream) => session.set_tcp_stream(stream),
            #[cfg(unix)]
            Self::Local(stream) => session.set_tcp_stream(stream),
        }
        Ok(())
    }

    /// Ends it in both directions, for whoever else holds it too. It may have ended before.
    pub(crate) fn close(&self) {
        let closed = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            #[cfg(unix)]
            Self::Local(stream) => stream.shutdown(Shutdown::Both),
        };
        if let Err(error) = closed {
            tracing::trace!(%error, "connection");
        }
    }

    /// Has what came be acknowledged at once. Servers hold small packets back until the ones before are, which the
    /// system would otherwise put off. It forgets that it was asked.
    pub(crate) fn acknowledge(&self) {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(stream) = self
            && let Err(error) = rustix::net::sockopt::set_tcp_quickack(stream, true)
        {
            tracing::trace!(%error, "acknowledging at once");
        }
    }

    /// Whether the other side has closed it.
    pub(crate) fn has_ended(&self) -> bool {
        #[cfg(unix)]
        {
            use rustix::net::{RecvFlags, recv};
            match recv(self, &mut [0_u8], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
                Ok((_, waiting)) => waiting == 0,
                Err(error) => error != rustix::io::Errno::WOULDBLOCK,
            }
        }
        #[cfg(not(unix))]
        {
            let Self::Tcp(stream) = self;
            match stream.peek(&mut [0]) {
                Ok(waiting) => waiting == 0,
                Err(error) => error.kind() != io::ErrorKind::WouldBlock,
            }
        }
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Socket {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Local(stream) => stream.as_fd(),
        }
    }
}

/// Wakes a thread that waits for sockets.
#[derive(Debug)]
pub(crate) struct Waker(Local);

/// What such a thread waits for besides.
#[derive(Debug)]
pub(crate) struct Wakes(Local);

/// A waker and what it wakes.
pub(crate) fn waker() -> io::Result<(Waker, Wakes)> {
    let (wakes, waker) = pair()?;
    wakes.set_nonblocking(true)?;
    waker.set_nonblocking(true)?;
    Ok((Waker(waker), Wakes(wakes)))
}

impl Waker {
    pub(crate) fn wake(&self) {
        // When it is full, the thread has been woken already; when it is closed, there is none.
        drop((&self.0).write(&[1]));
    }
}

impl Wakes {
    /// Forgets that it was woken.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 64];
        while (&self.0).read(&mut bytes).is_ok_and(|n| n > 0) {}
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Wakes {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.0)
    }
}

/// Which directions of a socket to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

impl Interest {
    /// What a session said it has to wait for.
    pub(crate) fn of(session: &Session) -> Self {
        use ssh2::BlockDirections as To;
        match session.block_directions() {
            To::Outbound => Self {
                readable: false,
                writable: true,
            },
            To::Both => Self {
                readable: true,
                writable: true,
            },
            _ => Self {
                readable: true,
                writable: false,
            },
        }
    }
}

/// Waits until one of two sockets is ready, somebody wakes the thread, or the time is up. A second socket is
/// waited for until it can be read. Where systems cannot do that, waits a moment.
pub(crate) fn wait(
    socket: &Socket,
    interest: Interest,
    other: Option<&Socket>,
    wakes: Option<&Wakes>,
    time: std::time::Duration,
) {
    socket.acknowledge();
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, interest.readable);
        flags.set(PollFlags::OUT, interest.writable);
        let mut all = vec![PollFd::new(socket, flags)];
        all.extend(other.map(|it| PollFd::new(it, PollFlags::IN)));
        all.extend(wakes.map(|it| PollFd::new(it, PollFlags::IN)));
        let limit = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        if poll(&mut all, Some(&limit)).is_ok() {
            return;
        }
    }
    #[cfg(not(unix))]
    let _ = (socket, interest, other, wakes);
    std::thread::sleep(time.min(std::time::Duration::from_millis(20)));
}
