//! The native driver runs over the component as over the core.

use policy_core::{FailureKind, Method, Request, Rules, Sample};
use refrain::{
    Driver, Engine, EngineError, Options, Reason,
    testing::{ScriptedEntropy, ScriptedTransport, TestTime},
};
use refrain_wasmtime::{Artifact, WasmtimeEngine};

use crate::{
    made::{KEEP, Made},
    real,
};

const GET: Request = Request::new(Method::Get);

#[tokio::test]
async fn a_request_is_retried_at_the_same_marks_as_with_the_core_linked_in() {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    let sends = run(engine).await;
    assert_eq!(sends, run(direct).await);
    assert_eq!(sends, [0, 500, 2_700], "the whole backoff of 500 ms; then 2 s as told, and a tenth of it");
}

/// When a request is sent that gets 503, then 429 with a hint of 2 s, then 200.
async fn run(engine: impl Engine) -> Vec<u64> {
    let time = TestTime::default();
    let driver = Driver::new(engine, time.clone(), ScriptedEntropy::new(Sample::ONE));
    let server = ScriptedTransport::new(&time);
    server.respond(503, &[]);
    server.respond(429, &[("retry-after", "2")]);
    server.respond(200, &[]);
    let test = async {
        for _ in 0..2 {
            let until = time.wait_entered().await;
            time.set_mark(until);
        }
    };
    let options = Options::default();
    let (result, ()) = tokio::join!(driver.run(&GET, server.clone(), &options), test);
    assert_eq!(result.unwrap().response.body(), "200");
    server.sends().iter().map(|send| send.at.get()).collect()
}

#[tokio::test]
async fn a_component_that_traps_leads_to_no_resend() {
    let artifact = Artifact::load(Made { handle: "unreachable", ..KEEP }.encode()).unwrap();
    let time = TestTime::default();
    let driver = Driver::new(WasmtimeEngine::new(&artifact).unwrap(), time.clone(), ScriptedEntropy::new(Sample::ONE));
    // The second request finds the engine usable: it is sent, once, as the first.
    for _ in 0..2 {
        let server = ScriptedTransport::new(&time);
        server.fail(FailureKind::ConnectFailed);
        let ended = driver.run(&GET, server.clone(), &Options::default()).await.unwrap_err();
        assert!(matches!(ended.reason, Reason::Engine(EngineError::Trapped(_))), "{ended}");
        assert_eq!(server.sends().len(), 1);
    }
}
