// Ends an engine after a stop, an error, or the loss of the board.

import BridgeLink
import HapticBoards

extension EngineService {
    /// The maximum time for which a tap continues after the end of its player, in microseconds.
    private static let endingTimeout: Microseconds = 200_000
    private static let stopTimeout: Microseconds = 1_000_000
    /// The maximum time to wait, after an error, for the board's report of its faults, in
    /// microseconds.
    private static let faultsTimeout: Microseconds = 200_000

    /// The final report to the engine; nil until the engine has ended.
    var end: EngineReport? {
        if case .over(let report) = stage { report } else { nil }
    }

    // MARK: Stopping

    /// Handles a request to stop. If all players have ended, the last tap of the players is played
    /// to its end first.
    mutating func stopWasRequested(
        _ session: inout LinkSession, _ streams: inout BoardStreams, at now: HostTime,
        isAlone: Bool
    ) {
        if case .playing = stage, let end = streams.driveEnd(of: number), end > now {
            stage = .ending(min(end, now + Self.endingTimeout))
        } else if case .ending = stage {
            return
        } else {
            stop(&session, &streams, at: now, isAlone: isAlone)
        }
    }

    /// Brings all output of the engine to rest.
    mutating func stop(
        _ session: inout LinkSession, _ streams: inout BoardStreams, at now: HostTime,
        isAlone: Bool
    ) {
        switch stage {
        case .stopping, .settling, .over: break
        case .preparing, .opening, .playing, .ending, .serving, .reset, .failing:
            var pending: BoardStreams.PendingLeave
            if isAlone || mailbox.isForAll {
                streams.removeAll()
                pending = BoardStreams.PendingLeave()
                pending.closeRequests = [session.stop()]
                pending.actuators = Set(0..<welcome.actuators)
            } else {
                pending = streams.leave(number, &session)
            }
            stage = .stopping(pending, until: now + Self.stopTimeout)
        }
    }

    // MARK: Failing

    /// Queries the board's faults, which may be the cause of an error that prevents playback.
    mutating func fail(
        _ error: any Error, isStart: Bool, _ session: inout LinkSession, at now: HostTime
    ) {
        session.ask(.status)
        stage = .failing(error, isStart: isStart, until: now + Self.faultsTimeout)
    }

    /// Ends the engine because of an error, or because of the faults that caused the error.
    mutating func fail(_ error: any Error, _ faults: Faults, isStart: Bool) {
        let isOfActuator = (error as? PlaybackError)?.isActuatorTrouble == true
        let reason =
            if isOfActuator, !faults.isEmpty {
                HapticError(
                    faults, of: Self.actuator(of: error), isStart ? .start : .playback, on: welcome)
            } else {
                isStart ? HapticError(opening: error) : HapticError(connecting: error)
            }
        stage = .over(isStart ? .failed(reason) : .lost(reason))
    }

    /// Returns the number of the actuator that caused an error; nil if the error names no actuator.
    private static func actuator(of error: any Error) -> UInt8? {
        switch error {
        case PlaybackError.actuatorNotReady(let actuator, _): actuator
        case PlaybackError.rejected(let reject) where reject.code == .fault:
            UInt8(truncatingIfNeeded: reject.limit)
        default: nil
        }
    }

    /// Ends the engine without bringing actuators to rest, because the board has no session or is
    /// being released.
    mutating func boardIsAtRest() { stage = .over(.stopped) }

    /// Ends the engine because the connection to the board was lost.
    mutating func lose(_ error: HapticError) {
        switch stage {
        case .preparing, .opening: stage = .over(.failed(error))
        case .playing, .serving, .reset: stage = .over(.lost(error))
        case .failing(let reason, let isStart, _): fail(reason, [], isStart: isStart)
        case .ending, .stopping, .settling: stage = .over(.stopped)
        case .over: break
        }
    }
}

extension LinkEvent {
    /// Returns whether the event is the outcome of a given STOP or command.
    func ends(_ request: RequestID) -> Bool {
        switch self {
        case .stopped(request), .carriedOut(request), .rejected(request, _), .dropped(request),
            .outcomeUnknown(request):
            true
        default: false
        }
    }
}
