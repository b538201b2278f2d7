// StudioAnalyst: finds out what there is to know of a document, while it is edited on.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import PatternEditing
import SerialPorts

/// The facts that are known of a version of the document.
struct StudioAnalysis: Sendable {
    /// The number of the file.
    let document: UInt64
    let diagnostics: [StudioMessages.Finding]
    /// The design; nil if the text cannot be read.
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
    private let newest = LockedValue<Task?>(nil)
    private let queue = hostClock.makeQueue("bridge.studio", isUtility: true)

    /// The time before which no analysis begins.
    private let earliest = LockedValue(Link.now())

    /// A version that waits for its analysis.
    private struct Task: Sendable {
        let document: StudioDocument
        let number: UInt64
        let rendering: BoardRendering?
    }

    /// The time between a change and the analysis, in which more changes may come, in microseconds.
    private static let pause: Microseconds = 40_000
    /// The most points of a picture.
    static let pointsMax = 2_000

    init(_ inbox: StudioInbox) { self.inbox = inbox }

    /// Has a document analysed, in place of one that waits for it.
    ///
    /// - Parameter number: that of the file, which its analysis has too.
    func analyse(_ document: StudioDocument, number: UInt64) {
        let task = Task(document: document, number: number, rendering: rendering)
        guard newest.exchange(task) == nil else { return }
        let now = Link.now()
        let time = max(now + Self.pause, earliest.withLock { $0 })
        queue.async(after: time - now) { [inbox, newest, earliest] in
            guard let task = newest.exchange(nil) else { return }
            let start = Link.now()
            defer { earliest.withLock { $0 = Self.earliest(after: start) } }
            let read = try? AHAPReader.read(task.document.bytes)
            var analysis = StudioAnalysis(task.document, task.number, read)
            inbox.post(.analysed(analysis))
            guard let read else { return }
            analysis.predictionTexts = StudioPrediction.all(of: read, for: task.rendering).map(
                \.text)
            inbox.post(.analysed(analysis))
        }
    }

    /// Returns the time of the next analysis, if one has lasted until now: at most a quarter of the
    /// time is spent, so that edits are not delayed.
    private static func earliest(after start: HostTime) -> HostTime {
        let now = Link.now()
        return now + 3 * (now - start)
    }

}

extension StudioAnalysis {
    private static let diagnosticsMax = 200

    /// - Parameter read: the document as it was read; nil if it could not be.
    init(_ document: StudioDocument, _ number: UInt64, _ read: AHAPReader.Result?) {
        self.document = number
        let found = read.map(AHAPLinter.diagnostics) ?? AHAPLinter.lint(document.bytes)
        diagnostics = found.prefix(Self.diagnosticsMax).map(StudioMessages.Finding.init)
        design = document.pattern.map { PatternDesign($0) }
        designText = design.map {
            let samples = $0.samples(atMost: StudioAnalyst.pointsMax)
            return StudioMessages.Design(
                times: samples.map(\.time.seconds), intensity: samples.map(\.intensity.fraction),
                sharpness: samples.map(\.sharpness.fraction)
            ).text
        }
    }
}

extension StudioMessages.Finding {
    fileprivate init(_ diagnostic: Diagnostic) {
        let location = diagnostic.location
        self.init(
            line: location?.line, column: location?.column, entry: location?.entryIndex,
            severity: diagnostic.severity.rawValue, message: diagnostic.message,
            fix: diagnostic.advice)
    }
}
