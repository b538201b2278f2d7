// The patterns of these tests.

enum BoardSamples {
    static let tap = #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}}]}"#

    /// A continuous event that lasts one second.
    static let second = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":1,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#

    /// A continuous event that lasts ten minutes.
    static let buzz = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":600,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#
}
