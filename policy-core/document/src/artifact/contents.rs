//! What a component is made of, read from its bytes.

use std::ops::Range;

use policy_core::slot::{self, Slot};
use wasmparser::{Encoding, Parser, Payload, Validator, WasmFeatures};

use super::{ARTIFACT_MAX, ArtifactError, INTERFACE, Section, SectionError, default_slot, section::NAME};

/// What a file that claims to be an artifact is made of; each part is judged when it is asked for.
///
/// [`Artifact`](super::Artifact) asks for all of them and stops at the first fault; a tool that wants to show every fault
/// asks itself.
///
/// ```
/// use refrain_document::{ArtifactError, artifact::Contents};
/// let empty_component = b"\0asm\x0d\0\x01\0";
/// let contents = Contents::read(empty_component)?;
/// assert!(contents.imports_nothing().is_ok());
/// assert!(matches!(contents.core_module(), Err(ArtifactError::CoreModules(0))));
/// # Ok::<(), ArtifactError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    bytes: &'a [u8],
    imports: Vec<&'a str>,
    exports: Vec<&'a str>,
    /// Core modules, nested ones too.
    modules: Vec<Range<usize>>,
    /// Sections `refrain`, wherever they are.
    sections: Vec<Found>,
    /// The names of other custom sections, wherever they are.
    foreign: Vec<&'a str>,
}

/// A section `refrain`.
#[derive(Clone, Debug)]
struct Found {
    whole: Range<usize>,
    contents: Range<usize>,
    /// It belongs to no component or module within the component.
    outermost: bool,
}

impl<'a> Contents<'a> {
    /// Takes a component apart.
    ///
    /// # Errors
    /// [`ArtifactError::TooLong`] or [`ArtifactError::NotComponent`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, ArtifactError> {
        if bytes.len() > ARTIFACT_MAX {
            return Err(ArtifactError::TooLong);
        }
        let mut contents = Self {
            bytes,
            imports: Vec::new(),
            exports: Vec::new(),
            modules: Vec::new(),
            sections: Vec::new(),
            foreign: Vec::new(),
        };
        let (mut depth, mut section_start) = (0_usize, 0);
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(malformed)?;
            match &payload {
                Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                    return Err(ArtifactError::NotComponent("a core module".to_owned()));
                }
                Payload::Version { range, .. } => section_start = range.end,
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            contents.note(&payload, depth == 0, section_start)?;
            // What is nested in a section comes after the section's own payload, and ends where that ends.
            if let Some((_, range)) = payload.as_section() {
                section_start = range.end;
            }
        }
        Ok(contents)
    }

    fn note(&mut self, payload: &Payload<'a>, outermost: bool, start: usize) -> Result<(), ArtifactError> {
        match payload {
            Payload::ModuleSection { unchecked_range, .. } => self.modules.push(unchecked_range.clone()),
            Payload::ComponentImportSection(imports) if outermost => {
                for import in imports.clone() {
                    self.imports.push(import.map_err(malformed)?.name.name);
                }
            }
            Payload::ComponentExportSection(exports) if outermost => {
                for export in exports.clone() {
                    self.exports.push(export.map_err(malformed)?.name.name);
                }
            }
            Payload::CustomSection(section) if section.name() == NAME => {
                let end = section.range().end;
                self.sections.push(Found { whole: start..end, contents: section.data_offset()..end, outermost });
            }
            Payload::CustomSection(section) => self.foreign.push(section.name()),
            _ => {}
        }
        Ok(())
    }

    /// What the component imports; an artifact, nothing.
    #[must_use]
    pub fn imports(&self) -> &[&'a str] {
        &self.imports
    }

    /// What the component exports; an artifact, [`INTERFACE`] and nothing else.
    #[must_use]
    pub fn exports(&self) -> &[&'a str] {
        &self.exports
    }

    /// Whether the component imports nothing. What is wired within it is no import of it.
    ///
    /// # Errors
    /// [`ArtifactError::Import`].
    pub fn imports_nothing(&self) -> Result<(), ArtifactError> {
        self.imports.first().map_or(Ok(()), |name| Err(ArtifactError::Import((*name).to_owned())))
    }

    /// Whether the component exports the version of the interface that is known here, and nothing else.
    ///
    /// # Errors
    /// [`ArtifactError::Exports`].
    pub fn exports_the_interface(&self) -> Result<(), ArtifactError> {
        if self.exports == [INTERFACE] {
            return Ok(());
        }
        Err(ArtifactError::Exports(self.exports.iter().map(|name| (*name).to_owned()).collect()))
    }

    /// The one core module.
    ///
    /// # Errors
    /// [`ArtifactError::CoreModules`].
    pub fn core_module(&self) -> Result<&'a [u8], ArtifactError> {
        Ok(self.bytes.get(self.core()?).unwrap_or_default())
    }

    /// Whether the core module by itself is valid WebAssembly, of what engines have known since 2022 (version 2.0).
    ///
    /// # Errors
    /// [`ArtifactError::CoreModules`] or [`ArtifactError::InvalidCore`].
    pub fn core_is_valid(&self) -> Result<(), ArtifactError> {
        let validated = Validator::new_with_features(WasmFeatures::WASM2).validate_all(self.core_module()?);
        validated.map(drop).map_err(|error| ArtifactError::InvalidCore(at(&error)))
    }

    /// Name, version and policy: one slot in the file, and it lies in the core module.
    ///
    /// # Errors
    /// [`ArtifactError::Slot`] or [`ArtifactError::CoreModules`].
    pub fn slot(&self) -> Result<Slot, ArtifactError> {
        slot::find(self.bytes).map_err(ArtifactError::Slot)?;
        slot::find(self.core_module()?).map_err(ArtifactError::Slot)
    }

    /// The section `refrain`, if there is one. It has to be the last of the component, to be written byte for byte as
    /// [`pin`](super::pin) writes it, and to be the only custom section: beside it, nothing is said of the policy.
    ///
    /// # Errors
    /// [`ArtifactError::Section`].
    pub fn section(&self) -> Result<Option<Section>, ArtifactError> {
        self.read_section().map_err(ArtifactError::Section)
    }

    fn read_section(&self) -> Result<Option<Section>, SectionError> {
        let found = match self.sections.as_slice() {
            [] => return Ok(None),
            [found] if found.outermost && found.whole.end == self.bytes.len() => found,
            [_] => return Err(SectionError::NotLast),
            several => return Err(SectionError::Several(several.len())),
        };
        if let Some(name) = self.foreign.first() {
            return Err(SectionError::Foreign((*name).to_owned()));
        }
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        Section::read(bytes(&found.whole), bytes(&found.contents)).map(Some)
    }

    /// How many bytes the sections `refrain` take.
    #[must_use]
    pub fn section_len(&self) -> usize {
        self.sections.iter().map(|found| found.whole.len()).sum()
    }

    /// As [`section`](Self::section); the document in it has to compile to `slot`.
    ///
    /// # Errors
    /// [`ArtifactError::Section`] or [`ArtifactError::Disagrees`].
    pub fn agreeing_section(&self, slot: &Slot) -> Result<Option<Section>, ArtifactError> {
        let section = self.section()?;
        let Some(compiled) = section.as_ref().and_then(Section::document).map(|document| document.slot()) else {
            return Ok(section);
        };
        let differs = [
            ("name", compiled.name() != slot.name()),
            ("version", compiled.version() != slot.version()),
            ("policy", compiled.policy() != slot.policy()),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(ArtifactError::Disagrees(what)),
            None => Ok(section),
        }
    }

    /// As [`agreeing_section`](Self::agreeing_section); without a document, the policy has to be the default one that a
    /// template has ([`default_slot`](super::default_slot), of any version). Of any other, nobody could say what it was
    /// compiled from: its document was taken out.
    ///
    /// # Errors
    /// [`ArtifactError::NoDocument`], else as [`agreeing_section`](Self::agreeing_section).
    pub fn documented_section(&self, slot: &Slot) -> Result<Option<Section>, ArtifactError> {
        let section = self.agreeing_section(slot)?;
        let is_default = || default_slot(slot.version()).is_ok_and(|default| default == *slot);
        if section.as_ref().and_then(Section::document).is_some() || is_default() {
            return Ok(section);
        }
        Err(ArtifactError::NoDocument)
    }

    /// The file without what [`section`](Self::section) reads.
    pub(super) fn without_section(&self) -> &'a [u8] {
        let end = self.sections.first().map_or(self.bytes.len(), |found| found.whole.start);
        self.bytes.get(..end).unwrap_or_default()
    }

    /// Where the one core module is.
    pub(super) fn core(&self) -> Result<Range<usize>, ArtifactError> {
        match self.modules.as_slice() {
            [core] => Ok(core.clone()),
            modules => Err(ArtifactError::CoreModules(modules.len())),
        }
    }
}

fn malformed(error: wasmparser::BinaryReaderError) -> ArtifactError {
    ArtifactError::NotComponent(at(&error))
}

fn at(error: &wasmparser::BinaryReaderError) -> String {
    format!("{} at byte {}", error.message(), error.offset())
}
