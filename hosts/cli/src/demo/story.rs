//! What the demo says beside the timeline: to people, and to programs.

use std::net::SocketAddr;

use serde::Serialize;

use super::scenes::{Asked, SCENES, Scene};
use crate::{
    engine::Chosen,
    style::{BAD, BOLD, DIM, GOOD, paint},
    timeline::aside,
};

/// What a program reads beside the events of the requests.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Record<'a> {
    Demo(&'a About),
    Scene {
        scene: u32,
        title: &'static str,
    },
    Server(&'a Counted),
    Summary {
        scenes: usize,
        as_promised: usize,
        #[serde(flatten)]
        policy: &'a About,
    },
}

/// Who decides.
#[derive(Serialize)]
pub(super) struct About {
    engine: &'static str,
    policy: String,
    policy_version: String,
    component_sha256: Option<String>,
    component_bytes: Option<usize>,
}

impl About {
    pub(super) fn of(chosen: &Chosen) -> Self {
        let description = chosen.engine.description();
        Self {
            engine: chosen.kind.name(),
            policy: description.name.clone(),
            policy_version: description.version.clone(),
            component_sha256: chosen.artifact.as_ref().map(|artifact| artifact.digest().to_string()),
            component_bytes: chosen.artifact.as_ref().map(|artifact| artifact.bytes().len()),
        }
    }

    /// The first lines.
    pub(super) fn opening(&self, server: SocketAddr) -> String {
        let title = paint(BOLD, "Refrain: one retry policy, shown on real requests");
        let row = |name: &str, value: &str| format!("  {} {value}", paint(DIM, format_args!("{name:<9}")));
        let policy = row("policy", &format!("{} {}", self.policy, self.policy_version));
        let engine = row("engine", self.engine_words());
        let component = row("component", &self.component());
        let server = row("server", &format!("http://{server}/, scripted, in this process"));
        format!("{title}\n{policy}\n{engine}\n{component}\n{server}")
    }

    /// The last line.
    pub(super) fn closing(&self, as_promised: usize) -> String {
        let (sign, style) = if as_promised == SCENES.len() { ("✓", GOOD) } else { ("✗", BAD) };
        let count = paint(style, format_args!("{sign} {as_promised} of {} scenes ended as promised", SCENES.len()));
        format!(
            "\n{count}: waits kept, cancel, session change, deferral, replay gate; engine: {}; component: {}",
            self.engine,
            self.component()
        )
    }

    fn engine_words(&self) -> &'static str {
        match self.engine {
            "wasm" => "wasm: the component, in wasmtime",
            _ => "native: the core, linked into this program",
        }
    }

    fn component(&self) -> String {
        match (&self.component_sha256, self.component_bytes) {
            (Some(digest), Some(bytes)) => format!("{bytes} bytes, sha256 {digest}"),
            _ => "none, the default policy is used".to_owned(),
        }
    }
}

/// The lines above a scene.
pub(super) fn heading(number: u32, scene: &Scene) -> String {
    let method = if scene.request == Asked::Get { "GET" } else { "POST" };
    let answers: Vec<_> = scene
        .replies
        .iter()
        .map(|reply| match reply.retry_after {
            Some(value) => format!("{} with `Retry-After: {value}`", reply.status),
            None => reply.status.to_string(),
        })
        .collect();
    let script = aside(&format!("{method}; the server answers {}", answers.join(", then ")));
    format!("\n{}\n{script}", paint(BOLD, format_args!("{number}. {}", scene.title)))
}

/// What the server saw of a scene.
#[derive(Serialize)]
pub(super) struct Counted {
    scene: u32,
    requests: usize,
    expected: usize,
    /// Whether all requests came under one idempotency key; absent if none was to be sent.
    same_key: Option<bool>,
}

impl Counted {
    pub(super) fn of(scene_number: u32, scene: &Scene, keys: &[Option<Vec<u8>>]) -> Self {
        let keyed = scene.request == Asked::PostWithKey;
        let same_key = keyed.then(|| keys.iter().all(|key| key.is_some() && Some(key) == keys.first()));
        Self { scene: scene_number, requests: keys.len(), expected: scene.replies.len(), same_key }
    }

    pub(super) fn is_as_promised(&self) -> bool {
        self.requests == self.expected && self.same_key != Some(false)
    }

    pub(super) fn text(&self) -> String {
        let requests = if self.requests == 1 { "1 request".to_owned() } else { format!("{} requests", self.requests) };
        let key = match self.same_key {
            Some(true) => ", all under one key",
            Some(false) => ", under different keys",
            None => "",
        };
        aside(&format!("the server counted {requests}{key}"))
    }
}
