// The patterns of these tests.

enum BoardSamples {
    static let tap = #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}}]}"#

    /// One second.
    static let second = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":1,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#

    /// 20 seconds.
    static let buzz = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":20,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#
}
