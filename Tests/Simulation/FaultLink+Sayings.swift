// FaultLink+Sayings: the unusual messages that a host may send in addition to its normal messages.

import BridgeLink
import CBridgeProtocol
import VirtualBoard

extension FaultLink {
    func hostSays(_ saying: Fault.Kind, _ actuator: Int) {
        guard session.phase == .open else { return }
        switch saying {
        case .calibrate(let diagnoses): calibrate(UInt8(actuator), diagnoses: diagnoses)
        case .save: session.send(.save(actuator: UInt8(actuator)))
        case .stopOfIDZero where saidZero.insert(.stop).inserted:
            wasStopped = true
            let total = [UInt8(truncatingIfNeeded: linkTotal), UInt8(linkTotal >> 8)]
            sayTwice(Frame(type: .stop, payload: [0, nextSequence] + total))
        // If the session also sends MUTE, the later of the two messages takes effect, but their
        // order is unknown.
        case .muteOfIDZero where !plan.mutes && saidZero.insert(.mute).inserted:
            mutedAt = .max
            sayTwice(Frame(type: .mute, payload: [0, 0xFF, 0xFF, 1]))
        case .badOpen(let isTooLarge): openBadly(isTooLarge: isTooLarge)
        default: break
        }
    }

    /// Sends a CALIBRATE or DIAGNOSE message, unless a STOP is in progress, because the STOP might
    /// not end the operation.
    private func calibrate(_ actuator: UInt8, diagnoses: Bool) {
        guard !isStopping else { return }
        session.send(diagnoses ? .diagnose(actuator: actuator) : .calibrate(actuator: actuator))
        stoppedAt = nil
        busyUntil = now + Self.calibrationTime
    }

    /// The maximum duration of a calibration and its consequences.
    private static let calibrationTime: Microseconds = 1_600_000

    /// Sends a frame twice with the session's counters, but outside the session.
    private func sayTwice(_ frame: Frame) {
        let wire = FrameEncoder(session: session.sessionID).encode(frame)
        _ = line.send([UInt8(BRIDGE_DELIMITER)] + wire + wire, to: board, at: now)
    }

    /// Sends an OPEN that the board will reject. The OPEN is sent only after all events, because
    /// the session treats a rejected OPEN as the end of its credit.
    private func openBadly(isTooLarge: Bool) {
        var open = Open(stream: 0, actuators: plan.streams[0], memory: 500)
        if plan.isLive {
            guard revisers[0].phase == .open else { return }
        } else {
            guard let progress = playback?.progress, progress.state == .playing,
                progress.bytesSent == progress.bytesTotal
            else { return }
        }
        if !isTooLarge, plan.streams.count > 1, revisers[1].phase == .open {
            (open.actuators, open.memory) = (plan.streams[1], 32)
        }
        session.send(.open(open))
    }

    /// Processes the board's answer to a message that the host sent outside its session.
    func handleAnswer(_ frame: Frame) {
        guard frame.payload.first == 0 else { return }
        if frame.type == .muted, mutedAt == .max { mutedAt = now }
        if frame.type == .stopped, plan.oddities.port.isAttentive, isPlaying {
            referee.report(now, "a stream plays when STOP is answered")
        }
    }
}
