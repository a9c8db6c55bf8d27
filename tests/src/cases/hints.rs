//! Vendor and IETF timing headers. Only those cases apply that need no field but Retry-After and Date.

use serde_json::{Map, Value};

use super::{Probe, blank};
use crate::{
    HintSpec, PolicySpec,
    vector::{Answer, Response, Script},
};

/// Fields that say nothing about when to return.
const BYSTANDERS: [&str; 3] = ["date", "via", "age"];

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let input = &case["input"];
    let headers: Vec<(String, &str)> = input["headers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|pair| (pair[0].as_str().unwrap_or_default().to_ascii_lowercase(), pair[1].as_str().unwrap_or_default()))
        .collect();
    if let Some((other, _)) =
        headers.iter().find(|(name, _)| name != "retry-after" && !BYSTANDERS.contains(&name.as_str()))
    {
        return Err(format!("the field `{other}` is not read"));
    }
    if !headers.iter().any(|(name, _)| name == "retry-after") {
        return Err("a hint outside the response fields is not read".into());
    }
    let status = input["status"].as_u64().and_then(|status| u16::try_from(status).ok()).ok_or("no HTTP status")?;
    if status == 403 {
        return Err("403 as a rate limit is one vendor's rule".into());
    }
    let Some(delay) = case["expected"]["delay_ms"].as_u64() else {
        return Err("an unreadable value means local backoff here, not the end".into());
    };
    let mut vector = blank(case, "");
    let skew = headers.iter().any(|(name, _)| name == "date");
    vector.policy = PolicySpec {
        hint: Some(HintSpec {
            mode: Some("instead-zero-at-once".into()),
            skew_from_date: skew.then_some(true),
            ..HintSpec::default()
        }),
        ..PolicySpec::default()
    };
    let fields = headers.iter().map(|(name, value)| (name.clone(), (*value).to_owned())).collect();
    let answer = |status, fields| Answer {
        response: Some(Response { status, fields, sends: 1, ..Response::default() }),
        failure: None,
        cancel: false,
        took: 0,
        times: 1,
    };
    let wall = input["now_unix"].as_u64().map(|now| now * 1_000);
    let answers = vec![answer(status, fields), answer(200, std::collections::BTreeMap::new())];
    vector.run = Some(Box::new(Script { answers, wall, calls: 1, ..Script::default() }));
    let judge = move |seen: &Map<String, Value>| match seen.get("delays").and_then(|delays| delays[0].as_u64()) {
        Some(ms) if ms == delay => Ok(()),
        _ => Err(format!("a wait of {delay} ms")),
    };
    Ok(vec![Probe { vector, records: &["delays", "end"], judge: Box::new(judge) }])
}
