//! A service in four phases — healthy, failing, hanging, healthy again — called through time-out, breaker, jittered retry and fallback.
//!
//! ```text
//! cargo run --example safe_call
//! ```
//!
//! The service is real, on a loopback socket of this process. Each line says which layer did what. Exit status 0 if the last phase is answered by the service
//! again.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, Observer, Transition};
use relent::{Clock, Deadline, Exponential, GuardedError, Jitter, Next, Retry, Shared, System, rng};

const RETRY: Retry =
    Retry::new(Exponential::new(Duration::from_millis(150)).with_multiplier(2.0).with_jitter(Jitter::Equal))
        .with_max_attempts(3)
        .with_attempt_timeout(Duration::from_millis(250));

/// What a whole call may take, whatever its attempts do.
const PATIENCE: Duration = Duration::from_millis(1_200);

const COOLDOWN: Duration = Duration::from_millis(800);

/// One call is one outcome, so two calls in a row that gave up open it. A trial may take as long as a call, and is awaited for longer.
const BREAKER: BreakerSettings = BreakerSettings::new(COOLDOWN).with_reclaim_after(PATIENCE.saturating_mul(2));

#[derive(Clone, Copy, Debug, PartialEq)]
enum Health {
    Healthy,
    Failing,
    Hanging,
}

fn main() -> io::Result<ExitCode> {
    let health = Arc::new(Mutex::new(Health::Healthy));
    let address = serve(health.clone())?;
    let breaker = Shared::new(Breaker::new(BREAKER, Consecutive::new(2)).with_observer(Told));
    let mut client = Client { address, breaker, system: System::new(), kept: "nothing yet".into() };

    let phases = [
        ("1: the service is healthy", Health::Healthy),
        ("2: it fails at once", Health::Failing),
        ("3: it hangs", Health::Hanging),
        ("4: it is healthy again", Health::Healthy),
    ];
    let mut answered = false;
    for (title, now) in phases {
        println!("\nphase {title}");
        *health.lock().unwrap() = now;
        for call in 1..=4 {
            answered = client.call(call);
            thread::sleep(Duration::from_millis(50));
        }
        // Until an open breaker lets a trial in.
        thread::sleep(COOLDOWN);
    }
    let took = client.system.now().since(relent::Instant::at(Duration::ZERO));
    println!("\nafter {took:.1?}: {}", if answered { "all is well" } else { "still not answered" });
    Ok(if answered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Client {
    address: SocketAddr,
    breaker: Shared<Breaker<Duration, Consecutive, Told>>,
    system: System,
    /// The latest answer, for when there is no better one.
    kept: String,
}

impl Client {
    /// One call through all layers; whether the service itself answered.
    fn call(&mut self, number: u32) -> bool {
        println!("  call {number}");
        let deadline = Deadline::after(self.system.now(), PATIENCE);
        let run = RETRY.on(self.system, rng::from_os()).deadline(deadline).notify(|event| match event.next() {
            Next::Wait(delay) => say("retry", &format!("attempt {} failed, next in {delay:.0?}", event.attempt())),
            _ => say("retry", &format!("attempt {} failed, no more", event.attempt())),
        });
        let answer = run.guarded(&self.breaker).run_with(|attempt, _| {
            let allowance = attempt.allowance().unwrap_or(PATIENCE);
            ask(self.address, allowance).inspect_err(|error| {
                if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) {
                    say("time-out", &format!("no answer within {allowance:.0?}"));
                }
            })
        });
        match answer {
            Ok(answer) => {
                say("answer", &answer);
                self.kept = answer;
                return true;
            }
            Err(GuardedError::GaveUp(gave_up)) => say("gave up", &gave_up.to_string()),
            Err(refused) => say("breaker", &format!("not called: {refused}")),
        }
        say("fallback", &format!("kept from before: {}", self.kept));
        false
    }
}

fn say(layer: &str, what: &str) {
    println!("    {layer:<9} {what}");
}

/// Prints what the breaker does.
struct Told;

impl Observer<Duration> for Told {
    fn changed(&mut self, transition: Transition) {
        match transition {
            Transition::Opened(cooldown) => say("breaker", &format!("opens for {cooldown:.0?}")),
            Transition::HalfOpened => say("breaker", "half-open: this call is its trial"),
            _ => say("breaker", "closes"),
        }
    }
}

/// Sends a line and reads one, all within `allowance`.
fn ask(address: SocketAddr, allowance: Duration) -> io::Result<String> {
    let start = Instant::now();
    // A socket takes no time-out of zero.
    let left = || allowance.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
    let mut stream = TcpStream::connect_timeout(&address, left())?;
    stream.set_write_timeout(Some(left()))?;
    stream.write_all(b"how are you?\n")?;
    stream.set_read_timeout(Some(left()))?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    match line.trim_end().strip_prefix("ok: ") {
        Some(answer) => Ok(answer.to_owned()),
        None => Err(io::Error::other(if line.is_empty() { "closed without an answer" } else { "overloaded" })),
    }
}

/// The service: it answers one line to each connection, in the state of health it is in.
fn serve(health: Arc<Mutex<Health>>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        let mut hanging = Vec::new();
        for (n, stream) in (1..).zip(listener.incoming().flatten()) {
            let now = *health.lock().unwrap();
            if now == Health::Hanging {
                hanging.push(stream);
            } else if let Err(error) = answer(stream, now, n) {
                println!("    (the service: {error})");
            }
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, health: Health, n: u32) -> io::Result<()> {
    BufReader::new(&stream).read_line(&mut String::new())?;
    match health {
        Health::Healthy => writeln!(stream, "ok: fine, thanks (request {n})"),
        _ => writeln!(stream, "overloaded"),
    }
}
