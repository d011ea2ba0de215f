//! Where a fact of a model comes from.

use serde::Deserialize;

/// How far a fact can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// Somebody measured it on the machine, and says so.
    Silicon,
    /// A driver, a device tree or a document states it.
    ThirdParty,
    /// Concluded from other facts; to be tested.
    Inference,
    /// Made up so that the virtual machine runs; says nothing about hardware.
    ModelOnly,
}

impl SourceKind {
    /// From the strongest to the weakest.
    const ALL: [Self; 4] = [
        Self::Silicon,
        Self::ThirdParty,
        Self::Inference,
        Self::ModelOnly,
    ];

    /// The word used in model files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Silicon => "silicon",
            Self::ThirdParty => "third party",
            Self::Inference => "inference",
            Self::ModelOnly => "model only",
        }
    }
}

/// A source mark: `"silicon: who measured it"`, `"third party: which text"`, `"inference: from what"` or `"model only"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Source {
    /// How far the fact can be trusted.
    pub kind: SourceKind,
    /// Who says so; may be empty only for "model only".
    pub note: String,
}

impl Source {
    /// The weakest kind that the mark names: "third party: base; size is model only" is [`SourceKind::ModelOnly`].
    #[must_use]
    pub fn weakest(&self) -> SourceKind {
        let named = SourceKind::ALL.into_iter();
        named
            .filter(|kind| self.note.contains(kind.as_str()))
            .fold(self.kind, SourceKind::max)
    }
}

impl TryFrom<String> for Source {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (head, note) = text.split_once(':').unwrap_or((&text, ""));
        let kind = SourceKind::ALL.into_iter().find(|k| k.as_str() == head.trim()).ok_or_else(|| {
            format!("source {text:?} must start with \"silicon\", \"third party\", \"inference\" or \"model only\"")
        })?;
        let note = note.trim().to_owned();
        if note.is_empty() && kind != SourceKind::ModelOnly {
            return Err(format!(
                "source {text:?} must say after a colon who says so"
            ));
        }
        Ok(Self { kind, note })
    }
}

impl core::fmt::Display for Source {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.kind.as_str())?;
        if self.note.is_empty() {
            Ok(())
        } else {
            write!(f, ": {}", self.note)
        }
    }
}

impl super::SocModel {
    /// Every source mark of the model with the key of the table or fact it stands for.
    #[must_use]
    pub fn sources(&self) -> Vec<(String, &Source)> {
        let mut marks = vec![
            ("soc".to_owned(), &self.source),
            ("counter".to_owned(), &self.counter.source),
            ("timing".to_owned(), &self.timing.source),
            ("ram".to_owned(), &self.ram.source),
            ("cpus".to_owned(), &self.cpus.source),
            ("aic".to_owned(), &self.aic.source),
            ("aic.config".to_owned(), &self.aic.config_source),
            ("siq.access".to_owned(), &self.siq.access_source),
            ("siq.classes".to_owned(), &self.siq.classes_source),
            ("siq.choice".to_owned(), &self.siq.choice_source),
            ("siq.on_masked".to_owned(), &self.siq.masked_source),
            ("siq.timing".to_owned(), &self.siq.timing_source),
            ("ipi".to_owned(), &self.ipi.source),
            ("sysregs".to_owned(), &self.sysregs.source),
            ("adt".to_owned(), &self.adt.source),
            ("loader".to_owned(), &self.loader.source),
        ];
        let nr_irq = self.aic.nr_irq_source.iter();
        marks.extend(nr_irq.map(|s| ("aic.nr_irq".to_owned(), s)));
        marks.extend(self.uart.iter().map(|u| ("uart".to_owned(), &u.source)));
        marks.extend(self.wdt.iter().map(|w| ("wdt".to_owned(), &w.source)));
        let regions = self.mmio.iter().enumerate();
        marks.extend(regions.map(|(i, m)| (format!("mmio[{i}]"), &m.source)));
        marks.extend(self.pmgr.iter().map(|p| ("pmgr".to_owned(), &p.source)));
        marks.extend(
            self.cpu
                .iter()
                .enumerate()
                .map(|(i, c)| (format!("cpu[{i}]"), &c.source)),
        );
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_word_counts() {
        let weakest = |text: &str| Source::try_from(text.to_owned()).unwrap().weakest();
        assert_eq!(weakest("silicon: PR #228"), SourceKind::Silicon);
        assert_eq!(
            weakest("silicon: PR #228; third party: a tree (MPIDR)"),
            SourceKind::ThirdParty
        );
        assert_eq!(
            weakest("third party: offset; inference: base"),
            SourceKind::Inference
        );
        assert_eq!(
            weakest("third party: offset; size is model only"),
            SourceKind::ModelOnly
        );
        assert_eq!(
            weakest("inference: from third party sources"),
            SourceKind::Inference
        );
    }

    #[test]
    fn a_claim_must_name_its_witness() {
        let ok = Source::try_from("silicon: PR #228".to_owned()).unwrap();
        assert_eq!(
            (ok.kind, ok.note.as_str(), ok.to_string().as_str()),
            (SourceKind::Silicon, "PR #228", "silicon: PR #228")
        );
        assert!(Source::try_from("silicon".to_owned()).is_err());
        assert!(Source::try_from("rumour: x".to_owned()).is_err());
        assert!(Source::try_from("model only".to_owned()).is_ok());
    }
}
