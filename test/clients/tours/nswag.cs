using Hiring;
using System.Text.Json;

var (address, professionalToken, officeToken) = (args[0], args[1], args[2]);
HttpClient With(string key, string? token) {
    var http = new HttpClient();
    http.DefaultRequestHeaders.Add("X-API-Key", key);
    if (token is not null) http.DefaultRequestHeaders.Add("Authorization", $"Bearer {token}");
    return http;
}
HiringClient Client(HttpClient http) => new(http) { BaseUrl = address };
var business = Client(With("demo-internal-key", null));
var professional = Client(With("demo-client-key", professionalToken));
var office = Client(With("demo-client-key", officeToken));

await business.RecordOfficeAsync("office-tour", new() {
    OfficeName = "Tour Dental",
    Address = [new() { City = "Austin", State = "TX", Latitude = "30.2672", Longitude = "-97.7431" }],
});
await business.RecordProfessionalAsync("professional-tour", new() {
    UserId = "user-tour", FirstName = "Ann", LastName = "Lee", Profession = "hygienist", Latitude = 30.5083, Longitude = -97.6789,
});
await business.RecordPostingAsync("posting-tour", new() {
    OfficeId = "office-tour", Title = "Dental hygienist, three days a week", Profession = "hygienist",
});
await professional.SavePostingAsync(new() { PostingId = "posting-tour" });
SavedPosting? saved = null;
while (saved is null) saved = (await professional.GetSavedPostingsAsync()).Data.FirstOrDefault(one => one.Id == "posting-tour");
ProfessionalStatus? none = saved.CandidateStatus;
var first = await professional.ApplyToPostingAsync("posting-tour", new() { ResumeId = "resume-1" });
var repeated = await professional.ApplyToPostingAsync("posting-tour", new() { ResumeId = "resume-1" });
await office.ChangeCandidateAsync("posting-tour", first.Id, new() { IsShortlisted = true });
await office.ChangeCandidateAsync("posting-tour", first.Id, new() { OfficeStatus = OfficeStatus.Scheduled, InterviewAt = DateTimeOffset.Parse("2030-03-10T09:00:00-06:00") });
PostingCandidate? row = null;
while (row?.OfficeStatus != OfficeStatus.Scheduled) row = (await office.GetPostingCandidatesAsync("posting-tour")).Data.FirstOrDefault(one => one.Id == first.Id);
await business.ClosePostingAsync("posting-tour");
var (status, code, error) = (0, "", "");
try {
    await office.ChangeCandidateAsync("posting-tour", first.Id, new() { OfficeStatus = OfficeStatus.Hired });
} catch (ApiException<Error> refused) {
    // Proxies and HTTP/2 have names of headers in lower case.
    var found = refused.Headers.First(header => header.Key.Equals("Error-Code", StringComparison.OrdinalIgnoreCase));
    (status, code, error) = (refused.StatusCode, found.Value.First(), refused.Result.Error1);
}
Candidate? archived = null;
while (archived is null) archived = (await professional.GetProfessionalCandidatesAsync(GetProfessionalCandidatesCategory.Archived)).Data.FirstOrDefault(one => one.Id == first.Id);
Console.WriteLine(JsonSerializer.Serialize(new {
    candidateStatus = none?.ToString(),
    isSameCandidate = first.Id == repeated.Id,
    officeStatus = row.OfficeStatus.ToString(),
    status,
    code,
    error,
    professionalStatus = archived.ProfessionalStatus.ToString(),
}));
