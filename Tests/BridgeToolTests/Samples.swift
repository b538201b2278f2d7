// The AHAP files of these tests.

import Foundation

enum Samples {
    static let tap = #"{"Version":1,"Pattern":[\#(transient(at: 0))]}"#

    /// A continuous event of `seconds`.
    static func buzz(seconds: Double) -> String {
        #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":\#(seconds),"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#
    }

    /// Read with one repair: a comma too many, on line 1.
    static let trailingComma = #"{"Version":1,"Pattern":[\#(transient(at: 0)),]}"#

    /// Refused: the event type does not exist; line 2.
    static let unknownType = """
        {"Pattern":[
          {"Event":{"Time":0,"EventType":"HapticExplosion"}}]}
        """

    /// Legal, with one note: an audio event.
    static let audio =
        #"{"Pattern":[\#(transient(at: 0)),{"Event":{"Time":0,"EventType":"AudioContinuous","#
        + #""EventDuration":1}}]}"#

    static let garbage = Data([0x00, 0xFF, 0x13, 0x37, 0x00, 0x80])

    private static func transient(at time: Double) -> String {
        #"{"Event":{"Time":\#(time),"EventType":"HapticTransient","EventParameters":["#
            + #"{"ParameterID":"HapticIntensity","ParameterValue":1}]}}"#
    }
}
