// StudioMeasurement: measures a document with the accelerometer of the board.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import HapticCompiler
import Prediction
import SerialPorts
import ToolSupport

/// The outcome of a measurement.
package struct StudioOutcome: Sendable {
    /// The message for the page, or the reason why there is no result.
    let result: Result<StudioMessages.Measured, any Error>
}

/// A measurement of one version of the document. It uses the board without an engine, on a thread
/// of its own, and posts its result to the inbox.
final class StudioMeasurement: Sendable {
    private let bytes: [UInt8]
    private let device: HapticDevice
    private let locality: HapticLocality
    private let axis: SensorAxis
    private let inbox: StudioInbox
    private let isCanceled = LockedValue(false)
    /// A semaphore that is signaled when the measurement no longer uses the board.
    private let hasEnded: any HostSemaphore = hostClock.makeSemaphore()

    init(
        of bytes: [UInt8], on device: HapticDevice, at locality: HapticLocality, _ axis: SensorAxis,
        _ inbox: StudioInbox
    ) {
        (self.bytes, self.device, self.locality, self.axis) = (bytes, device, locality, axis)
        self.inbox = inbox
    }

    /// Starts the measurement.
    ///
    /// - Parameter error: the reason why the engine could not bring the board to rest; nil if the
    ///   board is at rest.
    func begin(after error: (any Error)?) {
        Thread.start("bridge.measurement", qualityOfService: .userInitiated) { [self] in
            let motion = Result { () throws -> Recorded in
                if let error { throw error }
                return try record()
            }
            hasEnded.signal()
            let result = Result { StudioMessages.Measured(try motion.get().compared) }
            inbox.post(.measured(StudioOutcome(result: result)))
        }
    }

    /// Ends the measurement early. The result is then a `CancellationError` or another error.
    func cancel() { isCanceled.withLock { $0 = true } }

    /// Ends the measurement early, and returns when the board is at rest and its port is closed.
    func cancelAndWait() {
        cancel()
        hasEnded.wait()
    }

    /// True unless the measurement was canceled.
    var isWanted: Bool { !isCanceled.withLock { $0 } }

    /// A recorded document, which has not been compared with its prediction.
    private struct Recorded {
        var file: PatternFile
        var configuration: ActuatorConfiguration
        var profile: DeviceProfile
        var recording: PlayedRecording
        var motion: RecordedMotion
        var place: String

        /// The comparison with the design and the prediction.
        var compared: MeasuredPattern {
            let prediction = FeltAcceleration(
                of: file.events, tick: file.tick, on: configuration, band: profile.band,
                for: file.renderedDuration + FeltFidelity.tail)
            return MeasuredPattern(
                file: file, on: configuration, prediction: prediction, motion: motion,
                recording: recording, place: place, options: CompilerOptions())
        }
    }

    /// Plays and records the document. Throws `ToolError`; throws `CancellationError` if the
    /// measurement was canceled and the board is at rest.
    private func record() throws -> Recorded {
        let read = try AHAPReader.read(bytes)
        if let port = device.servedPort?() { try BoardOptions.release(port) }
        let board = try device.source.connect { isWanted }
        defer { board.close() }
        do {
            return try record(read, on: board)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ToolError(error, port: board.path)
        }
    }

    private func record(_ read: AHAPReader.Result, on board: HapticBoard) throws -> Recorded {
        // The page shows the prediction for the same actuator.
        let actuator = try locality.mask(of: board.waitUntilSettled()).indices[0]
        let configuration = try board.link.configuration(ofActuator: actuator)
        let profile = DeviceProfile(of: configuration)
        let file = PatternFile(name: "", read, profile, CompilerOptions())
        let recorder = MotionRecorder(
            board: board, actuator: actuator, axis: axis, configuration: configuration)
        try recorder.checkIsFelt(file)
        let recording = try recorder.record(file) { isWanted }
        return Recorded(
            file: file, configuration: configuration, profile: profile, recording: recording,
            motion: try recorder.motion(of: recording, playing: file),
            place: "\(board.path), actuator \(actuator)")
    }
}

extension StudioMessages.Measured {
    /// The maximum number of events that the page lists.
    private static let eventsMax = 2_000

    fileprivate init(_ measured: MeasuredPattern) {
        let file = measured.file
        let length = file.renderedDuration + FeltFidelity.tail
        let points = measured.felt.trace(from: -file.lead, until: length).reduced(
            to: StudioAnalyst.pointsMax / 4, of: length)
        let haptic = measured.pattern.events.indices.filter {
            measured.pattern.events[$0].type.isHaptic
        }
        self.init(
            place: measured.mounting, times: points.map(\.time.seconds),
            acceleration: points.map(\.value.toFourDecimals),
            events: haptic.prefix(Self.eventsMax).map { .init(event: $0, of: measured) },
            eventCount: haptic.count, summary: measured.summary,
            warnings: measured.warnings)
    }
}

extension StudioMessages.MeasuredEvent {
    fileprivate init(event index: Int, of measured: MeasuredPattern) {
        let event = measured.pattern.events[index]
        let (felt, expected) = (measured.measured.events[index], measured.predicted.events[index])
        let difference = measured.differences(index)
        self.init(
            time: event.time.seconds, isTap: event.type == .hapticTransient,
            designed: felt?.wanted.toFourDecimals, predicted: expected?.felt.toFourDecimals,
            measured: felt?.felt.toFourDecimals, jnd: difference?.design.toFourDecimals,
            predictionJND: difference?.prediction.toFourDecimals,
            later: measured.events[index]?.delay?.toFourDecimals)
    }
}
