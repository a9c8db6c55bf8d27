//! Lock files: read strictly, written the same for the same artifacts, and never half.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use refrain_document::{
    Digest, Lock, NotLocked,
    lock::{Entry, LockFile, LockFileError, Locked, RelativePath, write_atomically},
};

fn digest(of: &str) -> Digest {
    Digest::of(of.as_bytes())
}

/// The text of a lock with these artifacts: name, version, lines for the file.
fn text(artifacts: &[(&str, &str, &str)]) -> String {
    let entry = |(name, version, file): &(&str, &str, &str)| {
        let (sha256, core) = (digest(&format!("{name} {version}")), digest("core"));
        format!(
            "\n[[policy]]\nname = \"{name}\"\nversion = \"{version}\"\n{file}sha256 = \"{sha256}\"\ncore_sha256 = \"{core}\"\n"
        )
    };
    let heading = "# Written by `refrain pin` and `refrain lock`; `refrain lock` checks it.\n";
    format!("{heading}version = 1\n{}", artifacts.iter().map(entry).collect::<String>())
}

fn entry(name: &str, version: &str, file: &str) -> Entry {
    let file = if file.is_empty() { String::new() } else { format!("file = \"{file}\"\n") };
    let lock = Lock::parse(&text(&[(name, version, &file)])).unwrap();
    lock.entries().next().unwrap().clone()
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn problems(text: &str) -> String {
    Lock::parse(text).expect_err("it is refused").in_file("refrain.lock").to_string()
}

#[test]
fn artifacts_are_written_by_name_and_version_in_whatever_order_they_came() {
    let sorted = text(&[
        ("a", "1.0.0-rc.1", ""),
        ("a", "1.0.0", "file = \"policies/a 1.wasm\"\n"),
        ("a", "1.2.0", ""),
        ("a", "1.10.0", ""),
        ("b", "0.1.0", ""),
    ]);
    let lock = Lock::parse(&sorted).unwrap();
    assert_eq!(lock.to_string(), sorted);
    let mut again = Lock::default();
    for entry in lock.entries().collect::<Vec<_>>().into_iter().rev() {
        assert_eq!(again.add(entry.clone()), Ok(Locked::Added));
    }
    assert_eq!((again.to_string(), again), (sorted, lock));
    assert_eq!(Lock::parse("version = 1\npolicy = []\n"), Ok(Lock::default()));
}

#[test]
fn what_is_no_lock_file_is_refused_with_its_place() {
    let good = text(&[("polite", "1.2.0", "file = \"a.wasm\"\n")]);
    let (sha256, _) = good.split_once("core_").unwrap();
    let sha256 = sha256.trim_end().rsplit(' ').next().unwrap();
    for (from, to, expected) in [
        ("version = 1\n", "", "missing field `version`"),
        ("version = 1\n", "version = 2\n", "2:11: error: expected a lock file of version 1, found version `2`"),
        ("version = 1\n", "version = 1\nmore = 1\n", "3:1: error: unknown field `more`"),
        ("version = 1\n", "version = \n", "2:11: error: "),
        ("[[policy]]", "[policy]", "error: invalid type: map, expected a sequence"),
        ("name = \"polite\"\n", "", "missing field `name`"),
        ("name = \"polite\"", "name = \"Polite\"", "5:8: error: expected a name of 1 to 39 lower-case letters"),
        ("name = \"polite\"", "name = 1", "5:8: error: invalid type: integer `1`, expected a string"),
        ("\"1.2.0\"", "\"1.2\"", "6:11: error: expected a semantic version such as `1.2.0`, found `1.2`"),
        ("\"1.2.0\"", "\"1.2.0-and.a.very.long.one\"", "error: expected a version of 1 to 23 "),
        ("\"a.wasm\"", "\"../a.wasm\"", "7:8: error: expected a path below the folder of the lock file"),
        ("\"a.wasm\"", "\"/a.wasm\"", "found `/a.wasm`"),
        (sha256, "\"e3\"", "8:10: error: expected a SHA-256 of 64 hexadecimal digits, found `e3`"),
        ("core_sha256", "core", "9:1: error: unknown field `core`"),
        ("core_sha256", "sha256 = \"\"\ncore_sha256", "9:1: error: duplicate key"),
    ] {
        assert!(good.contains(from), "{from}");
        let problems = problems(&good.replacen(from, to, 1));
        assert!(problems.starts_with("refrain.lock:") && problems.contains(expected), "{from}: {to}: {problems}");
    }
}

#[test]
fn an_artifact_that_is_locked_twice_is_refused_and_so_is_every_faulty_one() {
    let twice = text(&[("polite", "1.2.0", ""), ("polite", "1.2.0", "")]);
    assert_eq!(problems(&twice), "refrain.lock:11:8: error: `polite` 1.2.0 is locked twice");
    let faulty = text(&[("polite", "1.2", ""), ("Strict", "1.0.0", "")]);
    assert_eq!(problems(&faulty).lines().count(), 2, "{}", problems(&faulty));
}

#[test]
fn an_artifact_is_known_by_name_version_and_digest() {
    let lock = Lock::parse(&text(&[("polite", "1.2.0", "")])).unwrap();
    let (known, other) = (digest("polite 1.2.0"), digest("other"));
    assert!(lock.find(known).is_ok_and(|entry| entry.name == "polite"));
    assert!(lock.check("polite", "1.2.0", known).is_ok());
    assert_eq!(lock.find(other), Err(NotLocked::Digest(other)));
    let changed = lock.check("polite", "1.2.0", other).unwrap_err();
    assert_eq!(changed.to_string(), format!("`polite` 1.2.0 is locked with the SHA-256 `{known}`, found `{other}`"));
    for (name, version) in [("impolite", "1.2.0"), ("polite", "1.2.1"), ("polite", "1.2.0+1"), ("polite", "next")] {
        let error = lock.check(name, version, known).unwrap_err();
        assert_eq!(error.to_string(), format!("expected an artifact that is locked, found `{name}` {version}"));
    }
}

#[test]
fn a_released_version_does_not_change_unless_it_is_replaced() {
    let mut lock = Lock::default();
    let polite = entry("polite", "1.2.0", "a.wasm");
    assert_eq!(lock.add(polite.clone()), Ok(Locked::Added));
    assert_eq!(lock.add(polite.clone()), Ok(Locked::Unchanged));
    assert_eq!(lock.add(entry("polite", "1.2.0", "b.wasm")), Ok(Locked::Moved));

    let mut changed = polite.clone();
    changed.sha256 = digest("changed");
    let before = lock.clone();
    assert!(matches!(lock.add(changed.clone()), Err(NotLocked::Other { .. })));
    assert_eq!(lock, before);
    assert_eq!(lock.replace(changed), Locked::Replaced);
    assert!(lock.check("polite", "1.2.0", digest("changed")).is_ok());

    let mut core = before.entries().next().unwrap().clone();
    core.core_sha256 = digest("another core");
    let mut lock = before.clone();
    assert!(matches!(lock.add(core.clone()), Err(NotLocked::Core { .. })));
    assert_eq!(lock, before);
    assert_eq!(lock.replace(core), Locked::Replaced);
}

#[test]
fn where_a_new_version_lies_no_older_one_does() {
    let mut lock = Lock::default();
    lock.add(entry("polite", "1.2.0", "a.wasm")).unwrap();
    lock.add(entry("polite", "1.3.0", "a.wasm")).unwrap();
    let files: Vec<_> = lock.entries().map(|entry| entry.file.as_ref().map(RelativePath::as_str)).collect();
    assert_eq!(files, [None, Some("a.wasm")]);
}

#[test]
fn a_path_is_relative_to_the_folder_and_below_it() {
    let from = |folder, path| RelativePath::from_folder(Path::new(folder), Path::new(path));
    assert_eq!(from("/a", "/a/b/c.wasm").unwrap().as_str(), "b/c.wasm");
    assert_eq!(from("/a", "/b/c.wasm"), None);
    assert_eq!(from("/a", "/a"), None);
    for text in ["", ".", "..", "a/..", "a//b", "/a", "a/", "a\\b", "c:a", "a\0", "\u{1b}[2Ja", "a\nb", "\u{202e}a"] {
        assert!(text.parse::<RelativePath>().is_err(), "{text}");
    }
}

#[test]
fn a_lock_file_is_made_when_something_is_locked_and_written_when_something_changed() {
    let path = folder("lock-made").join("refrain.lock");
    let open = || LockFile::open(&path).unwrap();
    open().save().unwrap();
    assert!(!path.exists(), "nothing to say");
    assert!(matches!(Lock::read(&path), Err(LockFileError::Read { .. })));

    let mut file = open();
    file.lock.add(entry("polite", "1.2.0", "")).unwrap();
    assert!(file.is_changed());
    file.save().unwrap();
    assert_eq!(Lock::read(&path).unwrap(), open().lock);
    assert!(!open().is_changed());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no other file is left");

    fs::write(&path, "version = 2").unwrap();
    let error = LockFile::open(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:1:11: error: ", path.display())), "{error}");
}

#[test]
fn a_lock_file_that_says_the_same_in_another_form_keeps_its_form() {
    let path = folder("lock-form").join("refrain.lock");
    let polite = entry("polite", "1.2.0", "a.wasm");
    let plain = text(&[("polite", "1.2.0", "file = \"a.wasm\"\n")]);
    let upper = plain.replace(&polite.sha256.to_string(), &polite.sha256.to_string().to_uppercase());
    for form in [format!("# ours\n{plain}"), plain.replace('\n', "\r\n"), upper, format!("{plain}\n\n")] {
        assert_ne!(form, plain);
        fs::write(&path, &form).unwrap();
        let mut file = LockFile::open(&path).unwrap();
        assert_eq!(file.lock.add(polite.clone()), Ok(Locked::Unchanged));
        assert!(!file.is_changed(), "{form}");
        file.save().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), form);
    }
}

#[test]
fn of_many_changes_at_once_none_is_lost() {
    let path = folder("lock-many").join("refrain.lock");
    thread::scope(|scope| {
        for number in 0..16 {
            let path = &path;
            scope.spawn(move || {
                let mut file = LockFile::open(path).unwrap();
                file.lock.add(entry(&format!("policy-{number}"), "1.0.0", "")).unwrap();
                file.save().unwrap();
            });
        }
    });
    assert_eq!(Lock::read(&path).unwrap().entries().len(), 16);
}

#[test]
fn who_reads_while_it_is_written_finds_one_of_both_whole() {
    let path = folder("lock-whole").join("file");
    let contents = [vec![b'a'; 100_000], vec![b'b'; 200_000]];
    write_atomically(&path, &contents[0]).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..100 {
                write_atomically(&path, &contents[turn % 2]).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let found = fs::read(&path).unwrap();
            assert!(contents.contains(&found), "{} bytes", found.len());
        }
    });
}

#[test]
fn what_cannot_be_written_leaves_everything_as_it_was() {
    let folder = folder("lock-refused");
    assert!(write_atomically(&folder, b"new").is_err(), "a folder is no file");
    assert!(write_atomically(&folder.join("no/such"), b"new").is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn who_opens_a_lock_file_by_a_link_waits_for_who_opened_it_by_its_name() {
    let (here, there) = (folder("lock-linked"), folder("lock-link-to-it"));
    let (file, link) = (here.join("refrain.lock"), there.join("refrain.lock"));
    fs::write(&file, "version = 1\n").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let open = LockFile::open(&link).unwrap();
    let folder = fs::File::open(&here).unwrap();
    assert!(matches!(folder.try_lock(), Err(fs::TryLockError::WouldBlock)));
    drop(open);
    assert!(folder.try_lock().is_ok());
}

#[cfg(unix)]
#[test]
fn a_link_stays_one_and_a_new_file_has_the_usual_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("lock-link");
    let (file, link) = (folder.join("file"), folder.join("link"));
    let plain = folder.join("plain");
    fs::write(&plain, "").unwrap();
    write_atomically(&file, b"old").unwrap();
    symlink(&file, &link).unwrap();
    write_atomically(&link, b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"new");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&file), mode(&plain));
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_regular_file_is_written_to() {
    use std::{
        io::{Read, pipe},
        os::fd::AsRawFd,
    };
    let (mut reader, writer) = pipe().unwrap();
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    write_atomically(Path::new(&path), b"new").unwrap();
    drop(writer);
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert_eq!(read, b"new");
}
