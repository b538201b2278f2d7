// PreviewLoop: the thread of an engine that plays without a board.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// The thread of a preview engine, or of an engine on voice coils, from its start to its stop.
enum PreviewLoop {
    /// The maximum duration of one sleep of the thread, in microseconds.
    private static let longestWait: Microseconds = 60_000_000

    /// Assigns an engine to its own thread.
    ///
    /// - Parameter coils: the voice coils on which the engine plays; nil for a preview.
    /// - Throws: `HapticError` if the process has no file descriptors left.
    static func serve(
        _ purpose: EngineMailbox.Purpose, on coils: EngineCoils? = nil,
        _ report: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) throws -> EngineMailbox {
        let eventSignal: EventSignal
        do {
            eventSignal = try EventSignal()
        } catch {
            throw HapticError(connecting: error)
        }
        let mailbox = EngineMailbox(for: purpose, eventSignal: eventSignal, report)
        Thread.start("haptic-bridge.preview", qualityOfService: .userInteractive) {
            run(mailbox, eventSignal, coils)
        }
        return mailbox
    }

    private static func run(
        _ mailbox: EngineMailbox, _ eventSignal: EventSignal, _ coils: EngineCoils?
    ) {
        var service = PreviewService(mailbox, at: Link.now())
        do throws(HapticError) {
            try coils?.open(at: Link.now()) { eventSignal.signal() }
        } catch {
            return mailbox.report(.failed(error))
        }
        mailbox.report(.started(nil))
        let longestWait = coils == nil ? longestWait : EngineCoils.interval
        while true {
            if let failure = coils?.failure { return mailbox.report(.lost(failure)) }
            coils?.followSettings(at: Link.now())
            service.advance(at: Link.now())
            guard !service.hasEnded else { return }
            let wait = service.nextDeadline.map { $0 - Link.now() } ?? longestWait
            if wait > 0 { eventSignal.wait(timeout: min(wait, longestWait)) }
        }
    }
}
