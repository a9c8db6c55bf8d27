//! The web demo: a page on which a person sees what a policy does.

use std::{
    io::ErrorKind,
    net::{TcpListener, ToSocketAddrs},
    path::PathBuf,
};

use anyhow::{Context, Result, ensure};

use crate::{browser, lab, node, shell};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build the page into `web-demo/dist` and serve nothing: any web server can, in any folder.
    #[arg(long, conflicts_with = "dev")]
    build_only: bool,
    /// Serve the sources, and show each change of them at once: for work on the page itself.
    #[arg(long)]
    dev: bool,
    /// The port that it is served at, on this machine only.
    #[arg(long, default_value_t = 4173)]
    port: u16,
}

/// Builds the page and serves it until it is stopped.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !options.build_only {
        free(options.port)?;
    }
    prepare()?;
    if options.dev {
        return serve("dev", options.port);
    }
    page()?;
    if options.build_only { Ok(()) } else { serve("preview", options.port) }
}

/// Whether nobody else serves there, before minutes are spent on a page that could not be served.
fn free(port: u16) -> Result<()> {
    for address in ("localhost", port).to_socket_addrs().context("expected that `localhost` has an address")? {
        let bound = TcpListener::bind(address);
        let is_taken = bound.is_err_and(|error| error.kind() == ErrorKind::AddrInUse);
        ensure!(!is_taken, "expected a free port, found `{port}` in use: name another with `--port`");
    }
    Ok(())
}

/// Everything that CI checks of the page.
pub(crate) fn test() -> Result<()> {
    node::chromium()?;
    let types = lab::module().types();
    let committed = shell::read(&types)?;
    let programs = prepare()?;
    ensure!(
        shell::read(&types)? == committed,
        "`web-demo/src/generated/lab.d.ts` differed from what the sources give, and was written anew: commit it"
    );
    shell::run(&mut node::script(&package(), "check"))?;
    page()?;
    let screenshots = shell::target().join("refrain/screenshots");
    let mut tests = node::script(&package(), "test");
    shell::run(tests.env("REFRAIN_SCREENSHOTS", &screenshots).env("REFRAIN_PROGRAM", programs.join("refrain")))?;
    println!("screenshots of every panel, light, dark and narrow: {}", screenshots.display());
    Ok(())
}

/// The folder of the page's package.
fn package() -> PathBuf {
    shell::workspace().join("web-demo")
}

/// Builds what the page imports. Returns where the programs are that it needed.
fn prepare() -> Result<PathBuf> {
    let programs = browser::build()?;
    lab::build()?;
    node::packages(&package())?;
    Ok(programs)
}

fn page() -> Result<()> {
    println!("building the page");
    shell::run(&mut node::script(&package(), "build"))?;
    println!("wrote {}", package().join("dist").display());
    Ok(())
}

/// Runs a server of Vite's, which prints its address.
fn serve(script: &str, port: u16) -> Result<()> {
    let mut server = node::script(&package(), script);
    server.args(["--", "--port", &port.to_string(), "--strictPort"]);
    println!("serving the page; Ctrl-C ends it");
    shell::run(&mut server).with_context(|| format!("if port `{port}` is in use, name another with `--port`"))
}
