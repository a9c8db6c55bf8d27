//! Running the binary, and the policy that it runs here.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output, Stdio},
    sync::OnceLock,
};

use policy_core::{
    Backoff, HintRules, Millis, Policy, Rules, Thousandths,
    slot::{self, Slot},
};
use serde_json::Value;

/// What one run printed and returned.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `refrain` with these arguments, under the policy of [`component`].
pub(crate) fn refrain<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    let output = command().args(args).output().expect("the binary runs");
    output.into()
}

/// `refrain` with the policy of [`component`], no stdin, and no proxy between it and loopback.
pub(crate) fn command() -> Command {
    let mut command = bare_command();
    command.arg("--policy").arg(component());
    command
}

/// `refrain` with nothing said about the policy.
pub(crate) fn bare_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

impl Run {
    /// The one object that was printed.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", self.stdout, self.stderr))
    }

    /// The events on stderr.
    pub(crate) fn events(&self) -> Vec<Value> {
        let event = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stderr.lines().map(event).collect()
    }

    /// The last event on stderr.
    pub(crate) fn ended(&self) -> Value {
        self.events().pop().unwrap_or_default()
    }
}

impl From<Output> for Run {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the output is text");
        Self { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }
}

/// The component with a policy that waits for nothing but the server's hints.
pub(crate) fn component() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let at_once = Backoff::doubling(Millis::ZERO);
        let hint = HintRules { spread: Thousandths::new(0), ..HintRules::DEFAULT };
        let rules = Rules { transient: at_once, throttled: at_once, hint, ..Rules::DEFAULT };
        let slot = Slot::new("tested", "1.0.0", Policy::new(rules).unwrap()).unwrap();
        let mut bytes = built_component();
        slot::bake(&mut bytes, &slot).unwrap();
        let path = scratch(&format!("tested-{}.wasm", process::id()));
        fs::write(&path, bytes).unwrap();
        path
    })
}

/// A place for a file of these tests.
pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The component as it is built.
fn built_component() -> Vec<u8> {
    let path = template();
    fs::read(&path).unwrap_or_else(|error| {
        panic!("cannot read the component `{}` ({error}); `cargo xtask guest` builds it", path.display())
    })
}

/// The file that `REFRAIN_COMPONENT` names, else the one in the target folder.
pub(crate) fn template() -> PathBuf {
    let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    match env::var_os("REFRAIN_COMPONENT") {
        Some(path) => path.into(),
        None => workspace.join(target).join("refrain/refrain.wasm"),
    }
}
