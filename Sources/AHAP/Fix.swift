// What would have to be changed in a file's text for a diagnostic to go away.

/// One change of a text, at the location of its diagnostic.
enum Fix: Sendable, Hashable {
    /// Removes bytes that have no meaning.
    case removeBytes(Range<Int>)
    /// Another scalar in the location of this one.
    case replace(String)
    /// The key at the location goes, with its value.
    case removeMember
    /// The innermost object around the location goes, and what holds nothing else.
    case removeOwner
    /// The object at the location gets a member.
    case addMember(AHAPKey, String)
    /// Each member of the object at the location becomes an object of its own.
    case splitEntry
    /// The array around the location is put in order of `Time`.
    case sortPoints
    /// Rewrites the control points of all curves to count from the `Time` of their curve.
    case relativeTimes
}
