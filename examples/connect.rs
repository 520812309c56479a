//! Reaching a TCP service that is not there yet.
//!
//! ```text
//! cargo run --example connect                  a service inside this process, closed at first, then flaky
//! cargo run --example connect -- HOST:PORT     a real one: sends a line, reads a line
//! ```
//!
//! Every failure is shown with the wait that was chosen and the band it was drawn from. Exit status 0 with an answer, 1 without.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use relent::{Exponential, GaveUp, Next, Policy, Retry, Verdict};

const POLICY: Exponential =
    Exponential::new(Duration::from_millis(200)).with_multiplier(1.5).with_max_interval(Duration::from_secs(2));

const TIMEOUT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let target = env::args().nth(1).map_or_else(own_service, Ok);
    let started = Instant::now();
    let mut calls = 0;
    match target.and_then(|target| reach(&target, &mut calls).map_err(io::Error::other)) {
        Ok(answer) => {
            println!("answer: {answer:?} after {calls} attempts in {:.2?}", started.elapsed());
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Asks until there is an answer, for at most eight attempts.
fn reach(target: &str, calls: &mut u32) -> Result<String, GaveUp<io::Error>> {
    let mut bands = POLICY.plan().map(|row| row.band());
    let retry = Retry::new(POLICY).with_max_attempts(8).with_max_elapsed(Duration::from_secs(15)).classify(verdict);
    retry.call_with(
        || {
            *calls += 1;
            ask(target)
        },
        |event| match event.next() {
            Next::Wait(delay) => println!(
                "attempt {} failed: {}; next in {delay:.1?} out of {:?}",
                event.attempt(),
                event.error(),
                bands.next().expect("the policy has no end"),
            ),
            _ => println!("attempt {} failed: {}", event.attempt(), event.error()),
        },
    )
}

/// A name that does not parse will not parse next time either.
fn verdict(error: &io::Error) -> Verdict {
    match error.kind() {
        io::ErrorKind::InvalidInput => Verdict::Permanent,
        _ => Verdict::Retry,
    }
}

/// One connection, one line there and one back.
fn ask(target: &str) -> io::Result<String> {
    let address = target
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(b"hello\n")?;
    let mut line = String::new();
    if BufReader::new(stream).read_line(&mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed without an answer"));
    }
    Ok(line.trim_end().to_owned())
}

/// A service whose port stays closed for 400 ms, which then hangs up on two callers, and then answers.
fn own_service() -> io::Result<String> {
    // Taken once to find a free port, closed, and taken again when the service "comes up".
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    thread::spawn(move || -> io::Result<()> {
        thread::sleep(Duration::from_millis(400));
        let listener = TcpListener::bind(address)?;
        for (caller, stream) in listener.incoming().enumerate() {
            let mut stream = stream?;
            if caller >= 2 {
                let mut line = String::new();
                BufReader::new(stream.try_clone()?).read_line(&mut line)?;
                writeln!(stream, "{} to you, caller {}", line.trim_end(), caller + 1)?;
            }
        }
        Ok(())
    });
    println!("service on {address}, closed for now");
    Ok(address.to_string())
}
