//! JUnit XML: a test suite for each file or object; in it a failed test case for each finding – a skipped one where it is waived –, or one passed
//! test case.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use walguard_engine::Severity;

use crate::{Place, Report};

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut cases: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for document in &report.documents {
        cases.entry(document.source.name.clone()).or_default();
    }
    for object in report.objects.iter().flatten() {
        cases.entry(crate::name(object)).or_default();
    }
    for found in &report.findings {
        let finding = &found.finding;
        // Advice is no failure; it stands in the output of a test that passed.
        let mut status = match finding.severity {
            _ if !finding.counts() => TestCaseStatus::skipped(),
            Severity::Info => TestCaseStatus::success(),
            _ => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        let place = match &found.place {
            Place::Document { location, .. } => {
                format!("{}:{}:{}", found.place.name(), location.line, location.column)
            }
            Place::Object(_) => format!("{} {}", found.place.name(), finding.field()),
        };
        let text = format!("{place}: {}", crate::text(finding));
        status.set_message(finding.message.as_str()).set_type(finding.severity.as_str()).set_description(text.as_str());
        let resource = &finding.resource;
        let name = format!("{} {} {}/{}", finding.check, resource.kind, resource.namespace, resource.name);
        let mut case = TestCase::new(name, status);
        case.set_classname(finding.check.as_str());
        if finding.severity == Severity::Info {
            case.set_system_out(text);
        }
        cases.entry(found.place.name()).or_default().push(case);
    }
    for failure in &report.failures {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(failure.message.as_str()).set_description(failure.to_string());
        cases.entry(failure.file.clone()).or_default().push(TestCase::new("can be read", status));
    }

    let mut junit = Junit::new("walguard");
    for (file, mut cases) in cases {
        if cases.is_empty() {
            cases.push(TestCase::new("no findings", TestCaseStatus::success()));
        }
        let mut suite = TestSuite::new(file);
        suite.add_test_cases(cases);
        junit.add_test_suite(suite);
    }
    let text = junit.to_string().map_err(io::Error::other)?;
    writeln!(out, "{}", text.trim_end())
}
