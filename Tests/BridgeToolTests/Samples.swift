// The AHAP files that tests of the tool use.

import Foundation
import TestSupport

enum Samples {
    static let tap = #"{"Version":1,"Pattern":[\#(transient(at: 0))]}"#

    /// Returns a pattern of taps at full intensity at intervals in microseconds.
    static func taps(_ count: Int, every interval: Int) -> String {
        let events = (0..<count).map { tap in
            #"{"Event":{"EventType":"HapticTransient","Time":\#(Double(tap * interval) / 1e6),"#
                + #""EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":1}]}}"#
        }
        return #"{"Pattern":[\#(events.joined(separator: ","))]}"#
    }

    /// Returns a pattern with a continuous event of `seconds`.
    static func buzz(seconds: Double) -> String {
        #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":\#(seconds),"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#
    }

    /// A pattern that needs one repair when it is read: line 1 contains an extra comma.
    static let trailingComma = #"{"Version":1,"Pattern":[\#(transient(at: 0)),]}"#

    /// A pattern that is rejected: the event type on line 2 does not exist.
    static let unknownType = """
        {"Pattern":[
          {"Event":{"Time":0,"EventType":"HapticExplosion"}}]}
        """

    /// A legal pattern that causes one note, because it contains nothing to play.
    static let silent =
        #"{"Pattern":[{"Event":{"Time":0,"EventType":"AudioContinuous","EventDuration":0.05}}]}"#

    /// A legal pattern with a tap and a sound.
    static let audio =
        #"{"Pattern":[\#(transient(at: 0)),{"Event":{"Time":0,"EventType":"AudioContinuous","#
        + #""EventDuration":1}}]}"#

    static let garbage = Data([0x00, 0xFF, 0x13, 0x37, 0x00, 0x80])

    private static func transient(at time: Double) -> String {
        #"{"Event":{"Time":\#(time),"EventType":"HapticTransient","EventParameters":["#
            + #"{"ParameterID":"HapticIntensity","ParameterValue":1}]}}"#
    }
}

extension LiveBoard {
    /// Returns the number of levels greater than `value` that were written to the chip.
    func onsets(above value: UInt8) -> Int {
        transactions.count { $0.write?.register == 2 && $0.write!.value > value }
    }
}
