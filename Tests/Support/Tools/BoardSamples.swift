// The patterns that tests of the command-line tool play.

public enum BoardSamples {
    public static let tap = #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}}]}"#

    /// A continuous event that lasts one second.
    public static let second = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":1,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#

    /// A continuous event that lasts ten minutes.
    public static let buzz = #"""
        {"Version":1,"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventDuration":600,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.8}]}}]}
        """#

    /// A level of half the full scale that does not end.
    public static let held = #"""
        {"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous",
        "EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":0.5}]}}]}
        """#
}
