//! The main job, shown: real requests over real sockets to a server in this process, retried as the policy says.

mod scenes;
mod server;
mod story;

use std::{sync::Arc, time::Duration};

use policy_core::IdempotencyKey;
use refrain::{
    Attempt, Attempted, CancellationToken, Driver, Engine, Observer, Options, Reason, ReqwestCall, ReqwestTransport,
    SessionHandle, SystemEntropy, SystemTime, Trace, TraceEvent, Transport,
};
use reqwest::{Client, Method, Request, Url, header::HeaderValue};

use self::{
    scenes::{Asked, SCENES, Scene, Twist},
    server::Server,
    story::{About, Record},
};
use crate::{
    engine::Chosen,
    exit::{Error, Exit},
    timeline::{Format, Summary, Timeline},
};

/// How far into a wait of 30 s the caller cancels, or somebody else signs in.
const TWIST_AFTER: Duration = Duration::from_millis(700);

/// Plays all scenes; [`Exit::Broken`] if one does not end as it has to.
pub(crate) async fn run(chosen: &Chosen, format: Format) -> Result<Exit, Error> {
    let timeline = Arc::new(Timeline::new(anstream::stdout(), format));
    let server =
        Server::start().await.map_err(|error| Error::incomplete(format!("cannot listen on loopback: {error}")))?;
    let client = Client::builder().no_proxy().user_agent(concat!("refrain/", env!("CARGO_PKG_VERSION")));
    let transport = ReqwestTransport::from_builder(client)
        .map_err(|error| Error::incomplete(format!("cannot make an HTTP client: {error}")))?;
    let driver = Driver::new(chosen.engine.clone(), SystemTime, SystemEntropy);
    let stage = Stage { timeline, server, transport, driver };

    let about = About::of(chosen);
    stage.timeline.say(&about.opening(stage.server.address()), &Record::Demo(&about));
    let mut as_promised = 0;
    for (number, scene) in (1..).zip(&SCENES) {
        as_promised += usize::from(stage.play(number, scene).await?);
    }
    let summary = Record::Summary { scenes: SCENES.len(), as_promised, policy: &about };
    stage.timeline.say(&about.closing(as_promised), &summary);
    Ok(if as_promised == SCENES.len() { Exit::Success } else { Exit::Broken })
}

/// All that the scenes share.
struct Stage {
    timeline: Arc<Timeline>,
    server: Server,
    transport: ReqwestTransport,
    driver: Driver<Arc<dyn Engine>, SystemTime, SystemEntropy>,
}

impl Stage {
    /// Plays a scene; whether it ended as it has to.
    async fn play(&self, number: u32, scene: &Scene) -> Result<bool, Error> {
        self.timeline.say(&story::heading(number, scene), &Record::Scene { scene: number, title: scene.title });
        self.timeline.begin(number);
        self.server.play(scene.replies);

        let session = SessionHandle::new().map_err(Error::broken)?;
        let cancel = CancellationToken::new();
        let options = Options {
            cancel: Some(cancel.clone()),
            session: Some(session.clone()),
            observer: Some(Arc::new(Watcher {
                timeline: self.timeline.clone(),
                twist: scene.twist,
                cancel,
                session: session.clone(),
            })),
            ..Options::default()
        };
        let call = self.transport.call(self.request(scene.request)?);
        let key = if scene.request == Asked::PostWithKey { IdempotencyKey::Honoured } else { IdempotencyKey::Absent };
        let request = call.request(key);
        let arrival = (scene.twist == Twist::SignInOnArrival).then_some(session);
        let result = self.driver.run(&request, Arriving { call, arrival }, &options).await;

        let summary = Summary::of(&result);
        self.timeline.finish(&summary);
        let keys = self.server.keys();
        let counted = story::Counted::of(number, scene, &keys);
        self.timeline.say(&counted.text(), &Record::Server(&counted));
        Ok(counted.is_as_promised() && summary.reason == Reason::Policy(scene.end))
    }

    fn request(&self, asked: Asked) -> Result<Request, Error> {
        let url = Url::parse(&format!("http://{}/", self.server.address())).map_err(Error::broken)?;
        let method = if asked == Asked::Get { Method::GET } else { Method::POST };
        let mut request = Request::new(method, url);
        if asked != Asked::Get {
            *request.body_mut() = Some("{}".into());
        }
        if asked == Asked::PostWithKey {
            request.headers_mut().insert("idempotency-key", HeaderValue::from_static("order-4711"));
        }
        Ok(request)
    }
}

/// Writes the timeline, and acts in the middle of the first wait.
struct Watcher {
    timeline: Arc<Timeline>,
    twist: Twist,
    cancel: CancellationToken,
    session: SessionHandle,
}

impl Observer for Watcher {
    fn event(&self, trace: &Trace) {
        self.timeline.event(trace);
        if let TraceEvent::WaitPlanned(_) = trace.event
            && let Twist::Cancel | Twist::SignIn = self.twist
        {
            let (timeline, twist) = (self.timeline.clone(), self.twist);
            let (cancel, session) = (self.cancel.clone(), self.session.clone());
            tokio::spawn(async move {
                tokio::time::sleep(TWIST_AFTER).await;
                timeline.remark(&SystemTime, twist.words());
                match twist {
                    Twist::Cancel => cancel.cancel(),
                    _ => {
                        session.raise();
                    }
                }
            });
        }
    }
}

/// A call at whose first answer somebody else signs in, if `arrival` is theirs.
struct Arriving {
    call: ReqwestCall,
    arrival: Option<SessionHandle>,
}

impl Transport for Arriving {
    type Response = reqwest::Response;
    type Error = reqwest::Error;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<reqwest::Response, reqwest::Error> {
        let attempted = self.call.attempt(attempt).await;
        if let Some(session) = self.arrival.take() {
            session.raise();
        }
        attempted
    }
}
