import nox


@nox.session
def defaults(session: nox.Session) -> None:
    """Compare documented defaults with the config; ``nox -s defaults -- --fix`` mends the pages."""
    session.install("sphinx-ckpt-defaults[hydra,myst]")
    session.run("ckpt-defaults", "check", "docs", "--config", "config", *session.posargs)
