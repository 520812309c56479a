//! Published schedules (`data/protocols.json`) as policies of this crate: every band, every row.
//!
//! `min` and `max` are real numbers there; whole ticks may lie up to one below and above (the rounding of R1 and R2). For each entry that is not
//! here, [`ELSEWHERE`] says where it is, or why the core has no policy with these bands.

use relent::testing::{ManualClock, Script};
use relent::{Constant, Decorrelated, Exponential, Factor, Jitter, Linear, Policy, Retry, Table};
use serde_json::Value;

/// An exponential that doubles, in milliseconds, as most of them do.
fn doubling(base: u32, cap: u32) -> Exponential<u32> {
    Exponential::new(base).with_multiplier(2.0).with_max_interval(cap).with_jitter(Jitter::None)
}

fn share(numerator: u32, denominator: u32) -> Jitter<u32> {
    Jitter::Spread(Factor::ratio(numerator, denominator).unwrap())
}

fn protocols() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/protocols.json")).unwrap();
    all["entries"].as_array().unwrap().clone()
}

fn entry(id: &str) -> Value {
    protocols().into_iter().find(|entry| entry["id"] == id).unwrap()
}

/// The bands of `policy` are those of `id`, and so are the running sums, each end at most `slack` ticks off.
fn compare(id: &str, policy: impl Policy<Span = u32>, slack: f64) {
    compare_in(id, policy, 1.0, slack);
}

/// The same, where a unit of the entry is so many ticks.
fn compare_in(id: &str, policy: impl Policy<Span = u32>, ticks: f64, slack: f64) {
    let entry = entry(id);
    let waits = entry["waits"].as_array().unwrap();
    assert!(!waits.is_empty());
    let (mut best, mut worst) = (0.0, 0.0);
    let mut rows = policy.plan();
    for wait in waits {
        let (min, max) = (wait["min"].as_f64().unwrap() * ticks, wait["max"].as_f64().unwrap() * ticks);
        let row = rows.next().unwrap();
        assert_eq!(wait["n"], row.retry());
        let near = |a: u32, b: f64, slack: f64| (f64::from(a) - b).abs() <= slack;
        assert!(near(row.band().lo(), min, slack) && near(row.band().hi(), max, slack), "{id}, {row:?}: {min}, {max}");
        (best, worst) = (best + min, worst + max);
        let sum_slack = slack * f64::from(row.retry());
        assert!(
            near(row.best(), best, sum_slack) && near(row.worst(), worst, sum_slack),
            "{id}, {row:?}: {best}, {worst}"
        );
    }
}

#[test]
fn doubling_without_jitter() {
    compare("tcp_rto", doubling(1_000, 60_000), 0.0);
    compare("sip_invite_timer_a", doubling(500, u32::MAX), 0.0);
    compare("sip_noninvite_timer_e", doubling(500, 4_000), 0.0);
    compare("mdns_continuous", doubling(1_000, 3_600_000), 0.0);
    compare("smoltcp_dns", doubling(1_000, 10_000), 0.0);
    compare("paho_python", doubling(1_000, 120_000), 0.0);
    compare("paho_java", doubling(1_000, 128_000), 0.0);
    compare("aws_iot_ios", doubling(1_000, 128_000), 0.0);
    compare("k8s_crashloop", doubling(10_000, 300_000), 0.0);
    compare("aws_blog_none", doubling(100, 10_000), 0.0);
}

#[test]
fn sip_timers_end_where_their_limit_says() {
    // Timers B and F: 32 s after the first send (RFC 3261, 17.1.1.2 and 17.1.2.2).
    for (policy, sends) in [(doubling(500, u32::MAX), 7), (doubling(500, 4_000), 11)] {
        let retry = Retry::new(policy).with_max_elapsed(32_000);
        let clock = ManualClock::new();
        let gave_up = retry.run(&clock, Script::new([0]), || Err::<(), _>("no answer")).unwrap_err();
        assert_eq!(gave_up.attempts(), sends);
    }
}

#[test]
fn full_jitter() {
    let full = |base, cap| doubling(base, cap).with_jitter(Jitter::Full);
    compare("aws_sdk_standard_v2_0", full(1_000, 20_000), 0.0);
    compare("aws_sdk_standard_2026_transient", full(50, 20_000), 0.0);
    compare("aws_sdk_standard_2026_throttling", full(1_000, 20_000), 0.0);
    compare("aws_blog_full", full(100, 10_000), 0.0);
    compare("aws_crt_mqtt5_full", full(1_000, 120_000), 0.0);
    // There the cap is reached by 2·cur from below cap/2 on: the same five rows.
    compare("freertos_coremqtt_demo", full(500, 5_000).max_retries(5), 0.0);
    assert_eq!(full(500, 5_000).max_retries(5).plan().count(), 5);
    // The first of `websocket_rfc6455`; what follows is left to the client.
    compare("websocket_rfc6455", Constant::new(5_000).with_jitter(Jitter::Full), 0.0);
}

#[test]
fn equal_jitter() {
    compare("aws_blog_equal", doubling(100, 10_000).with_jitter(Jitter::Equal), 0.0);
    compare("azure_js_pipeline", doubling(1_000, 64_000).with_jitter(Jitter::Equal), 0.0);
    let trickle = doubling(8, 8 << 20).with_jitter(Jitter::Equal);
    compare("trickle_rfc6206_rpl", trickle, 0.0);
}

#[test]
fn a_share_to_both_sides() {
    compare("azure_dotnet_core", doubling(800, 60_000).with_jitter(share(1, 5)), 0.0);
    compare("grpc_retry_a6", doubling(100, 1_000).with_jitter(share(1, 5)), 0.0);
    // The first wait has no jitter there, and grows all the same.
    // In microseconds, as each of the steps is rounded: 1.6¹⁰ s is no whole number of milliseconds.
    let grown =
        Exponential::new(1_600_000).with_multiplier(1.6).with_max_interval(120_000_000).with_jitter(share(1, 5));
    compare_in("grpc_connect", Constant::new(1_000_000).max_retries(1).then(grown), 1_000.0, 4.0);
    compare("lorawan_ack_retransmit", Constant::new(2_000).with_jitter(Jitter::Absolute(1_000)), 0.0);
    // ×1.5, ± 50 %, in whole milliseconds: the nominal intervals are the published ones, each end within a tick.
    let google = Exponential::new(500).with_max_interval(60_000);
    compare("google_http_client", google, 1.0);
    let published: Vec<u32> =
        serde_json::from_value(entry("google_http_client")["extra"]["intervals"].clone()).unwrap();
    assert_eq!(google.plan().take(published.len()).map(|row| row.nominal().unwrap()).collect::<Vec<_>>(), published);
}

#[test]
fn a_fixed_span_around_or_on_top() {
    let dhcp = doubling(4_000, 64_000).with_jitter(Jitter::Absolute(1_000));
    compare("dhcpv4", dhcp, 0.0);
    // No jitter at the cap: the band is clipped to it, and the nominal is at it.
    let azure = doubling(2_000, 100_000).with_jitter(Jitter::Additive(5_000)).with_max_delay(100_000);
    compare("azure_sdk_c_iot", azure, 0.0);
}

#[test]
fn linear_decorrelated_and_written_out() {
    // [n, 1.2 n] is 1.1 n ± 1/11 of it.
    let lora = Linear::new(11_000, 11_000).with_max_interval(3_960_000).with_jitter(share(1, 11));
    compare("lora_rs_example", lora, 0.0);
    compare("aws_blog_decorrelated", Decorrelated::new(100).with_max_delay(10_000), 0.0);
    compare("smoltcp_dhcpv4", Table::new([5_000, 5_000, 10_000, 10_000, 20_000]), 0.0);
    // Binary exponential backoff is full jitter over 0..=2^n − 1 slots: a table, since 2^n − 1 is no geometric row.
    let slots = |min: u32, max: u32, width: u32| (min..=max).map(move |be| ((1 << be) - 1) * width).collect::<Vec<_>>();
    let table = |entries: Vec<u32>| Table::new(entries).with_jitter(Jitter::Full).repeat_last();
    compare("ieee802154e_tsch_shared", table(slots(2, 5, 1)), 0.0);
    compare("ethernet_beb", table(slots(1, 10, 51_200)), 0.0);
}

/// The entries that no policy of the core has, and where they are.
const ELSEWHERE: [(&str, &str); 15] = [
    ("ieee802154_unslotted_csma_2g4", "drawn in whole slots: the slot policy"),
    ("ieee80211_ofdm_dcf", "drawn in whole slots: the slot policy"),
    ("lorawan_join_backoff_sf12", "an airtime budget: a guard"),
    ("eu868_duty", "an airtime budget: a guard"),
    ("coap_con", "drawn once: a feedback policy"),
    ("dhcpv6_solicit", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_request", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_confirm", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_renew", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_rebind", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_information_request", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_release", "grows from what was drawn: a feedback policy"),
    ("dhcpv6_decline", "grows from what was drawn: a feedback policy"),
    ("ntp_kod", "rules for verdicts, no schedule"),
    ("paho_c", "truncated to whole seconds after the draw, from 5/6 to 6/5: not symmetrical"),
];

#[test]
fn every_entry_is_accounted_for() {
    let source = include_str!("protocols.rs");
    for entry in protocols() {
        let id = entry["id"].as_str().unwrap();
        let here = ["compare", "compare_in"].iter().any(|name| source.contains(&format!("{name}(\"{id}\"")));
        let elsewhere = ELSEWHERE.iter().any(|(other, _)| *other == id);
        assert!(here != elsewhere, "{id}");
    }
}
