// StudioAnalyst: analyzes the document in the background during editing.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

/// The analysis of one version of the document.
package struct StudioAnalysis: Sendable {
    /// The number of the document.
    let document: UInt64
    let diagnostics: [StudioMessages.Finding]
    /// The design; nil if the text cannot be read.
    let design: PatternDesign?
    /// The text of the message that contains the design.
    let designText: String?
    /// The texts of the messages that contain the predictions; empty until the predictions have
    /// been computed.
    var predictionTexts: [String] = []
}

/// Analyzes the newest version on another thread.
final class StudioAnalyst {
    /// The rendering for the actuators of the board; nil while there is no board.
    var rendering: BoardRendering?
    private let inbox: StudioInbox
    private let newest = LockedValue<Task?>(nil)
    private let queue = hostClock.makeQueue("bridge.studio", isUtility: true)

    /// The earliest time at which the next analysis may start.
    private let earliest = LockedValue(Link.now())

    /// A version that is waiting to be analyzed. A task does not include the history, because the
    /// next edit would then have to copy the history.
    private struct Task: Sendable {
        let bytes: [UInt8]
        let pattern: HapticPattern?
        let number: UInt64
        let rendering: BoardRendering?
    }

    /// The delay between a change and its analysis, in microseconds. Changes during the delay are
    /// analyzed together.
    private static let pause: Microseconds = 40_000
    /// The maximum number of points of the design that a page draws.
    static let pointsMax = 2_000

    init(_ inbox: StudioInbox) { self.inbox = inbox }

    /// Schedules the analysis of a document, which replaces any analysis that has not started.
    ///
    /// - Parameter number: the number of the document, which is also the number of its analysis.
    func analyse(_ document: StudioDocument, number: UInt64) {
        let task = Task(
            bytes: document.bytes, pattern: document.pattern, number: number, rendering: rendering)
        guard newest.exchange(task) == nil else { return }
        let now = Link.now()
        let time = max(now + Self.pause, earliest.withLock { $0 })
        queue.async(after: time - now) { [inbox, newest, earliest] in
            guard let task = newest.exchange(nil) else { return }
            let start = Link.now()
            defer { earliest.withLock { $0 = Self.earliest(after: start) } }
            let read = try? AHAPReader.read(task.bytes)
            var analysis = StudioAnalysis(task.bytes, task.pattern, task.number, read)
            inbox.post(.analysed(analysis))
            guard let read else { return }
            analysis.predictionTexts = StudioPrediction.all(of: read, for: task.rendering).map(
                \.text)
            inbox.post(.analysed(analysis))
        }
    }

    /// Returns the earliest time of the next analysis, after an analysis has just ended. Analyses
    /// may take at most a quarter of the time, so that they do not delay edits.
    private static func earliest(after start: HostTime) -> HostTime {
        let now = Link.now()
        return now + 3 * (now - start)
    }

}

extension StudioAnalysis {
    private static let diagnosticsMax = 200

    /// Analyzes one version of a document.
    ///
    /// - Parameters:
    ///   - pattern: the pattern of the document; nil if the document cannot be read.
    ///   - read: the parsed document; nil if it is invalid.
    fileprivate init(
        _ bytes: [UInt8], _ pattern: HapticPattern?, _ number: UInt64, _ read: AHAPReader.Result?
    ) {
        document = number
        let found = read.map(AHAPLinter.diagnostics) ?? AHAPLinter.lint(bytes)
        diagnostics = found.prefix(Self.diagnosticsMax).map(StudioMessages.Finding.init)
        design = pattern.map { PatternDesign($0) }
        designText = design.map {
            let samples = $0.samples(atMost: StudioAnalyst.pointsMax)
            return StudioMessages.Design(
                times: samples.map(\.time.seconds),
                intensity: samples.map(\.intensity.toFourDecimals),
                sharpness: samples.map(\.sharpness.toFourDecimals)
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
