// StudioAnalyst: finds out what there is to know of a document, while it is edited on.

import AHAP
import Dispatch
import Foundation
import HapticBridge
import JSONText
import PatternEditing

/// What is known of a version of the document.
struct StudioAnalysis: Sendable {
    /// The version.
    let revision: Int
    let diagnosticsJSON: JSONValue
    /// What is designed; nil if the text cannot be read.
    let design: PatternDesign?
    /// The message that shows it.
    let designText: String?
    /// The messages of predictions; empty before they are made.
    var predictionTexts: [String] = []
}

/// Analyses the newest version on a thread of its own.
final class StudioAnalyst {
    /// The actuators of the board; nil while there is none.
    var rendering: BoardRendering?
    private let inbox: StudioInbox
    private let newest = LockedValue(0)
    private let queue = DispatchQueue(label: "bridge.studio", qos: .utility)

    /// The time for which a document has to stay as it is before it is analysed.
    private static let quiet = DispatchTimeInterval.milliseconds(40)
    /// The most points of a picture.
    static let pointsMax = 2_000

    init(_ inbox: StudioInbox) { self.inbox = inbox }

    /// Begins to analyse a document, in place of any before it.
    func analyse(_ document: StudioDocument) {
        let number = newest.withLock { newest in
            newest += 1
            return newest
        }
        queue.asyncAfter(deadline: .now() + Self.quiet) { [inbox, newest, rendering] in
            func isWanted() -> Bool { newest.withLock { $0 == number } }
            guard isWanted() else { return }
            let read = try? AHAPReader.read(document.bytes)
            var analysis = StudioAnalysis(document, read)
            inbox.post(.analysed(analysis))
            guard let read, isWanted() else { return }
            analysis.predictionTexts = StudioPrediction.all(of: read, for: rendering).map {
                StudioMessages.text($0.json)
            }
            if isWanted() { inbox.post(.analysed(analysis)) }
        }
    }

    /// Begins to ask the board for its actuators.
    func readActuators(of player: StudioPlayer) {
        guard let port = player.port else {
            return inbox.post(.actuators(BoardRendering(ofVirtualBoard: .init(), gain: 1)))
        }
        queue.async { [inbox] in
            guard let rendering = try? StudioActuator.rendering(at: port) else { return }
            inbox.post(.actuators(rendering))
        }
    }
}

extension StudioAnalysis {
    private static let diagnosticsMax = 200

    /// - Parameter read: the document as it was read; nil if it could not be.
    init(_ document: StudioDocument, _ read: AHAPReader.Result?) {
        revision = document.revision
        let diagnostics =
            read.map(AHAPLinter.diagnostics) ?? AHAPLinter.lint(document.bytes)
        diagnosticsJSON = .array(diagnostics.prefix(Self.diagnosticsMax).map(\.studioJSON))
        design = document.pattern.map { PatternDesign($0) }
        designText = design.map {
            let samples = $0.samples(atMost: StudioAnalyst.pointsMax)
            return StudioMessages.text([
                "type": "design", "times": .array(samples.map { .time($0.time) }),
                "intensity": .array(samples.map { .fraction($0.intensity) }),
                "sharpness": .array(samples.map { .fraction($0.sharpness) }),
            ])
        }
    }
}

extension Diagnostic {
    /// The diagnostic as a page shows it.
    fileprivate var studioJSON: JSONValue {
        [
            "line": .number(location?.line), "column": .number(location?.column),
            "entry": .number(location?.entryIndex), "severity": .string(severity.rawValue),
            "message": .string(message), "fix": .string(advice),
        ]
    }
}

extension JSONValue {
    /// Returns a time in seconds, to the microsecond.
    static func time(_ time: Int64) -> JSONValue {
        JSONValue(.number(text: (Double(time) / 1e6).text(decimals: 6)))
    }

    /// Returns a number with four decimals.
    static func fraction(_ value: Double) -> JSONValue {
        JSONValue(.number(text: value.text(decimals: 4)))
    }
}
