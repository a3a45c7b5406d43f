using Hiring;
using Hiring.Models;
using Hiring.Professionals.Candidates;
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Http.HttpClientLibrary;
using System.Text.Json;

var (address, professionalToken, officeToken) = (args[0], args[1], args[2]);
HttpClient With(string key, string? token) {
    var http = new HttpClient();
    http.DefaultRequestHeaders.Add("X-API-Key", key);
    if (token is not null) http.DefaultRequestHeaders.Add("Authorization", $"Bearer {token}");
    return http;
}
HiringClient Client(HttpClient http) =>
    new(new HttpClientRequestAdapter(new AnonymousAuthenticationProvider(), httpClient: http) { BaseUrl = address });
var business = Client(With("demo-internal-key", null));
var professional = Client(With("demo-client-key", professionalToken));
var office = Client(With("demo-client-key", officeToken));

await business.Internal.Offices["office-tour"].PutAsync(new() {
    OfficeName = "Tour Dental",
    Address = [new() { City = "Austin", State = "TX", Latitude = "30.2672", Longitude = "-97.7431" }],
});
await business.Internal.Professionals["professional-tour"].PutAsync(new() {
    UserId = "user-tour", FirstName = "Ann", LastName = "Lee", Profession = "hygienist", Latitude = 30.5083, Longitude = -97.6789,
});
await business.Internal.Postings["posting-tour"].PutAsync(new() {
    OfficeId = "office-tour", Title = "Dental hygienist, three days a week", Profession = "hygienist",
});
await professional.Professionals.Postings.Save.PostAsync(new() { PostingId = "posting-tour" });
SavedPosting? saved = null;
while (saved is null) saved = (await professional.Postings.Saved.GetAsync())?.Data?.FirstOrDefault(one => one.Id == "posting-tour");
ProfessionalStatus? none = saved.CandidateStatus;
var first = await professional.Postings["posting-tour"].Candidates.PostAsync(new() { ResumeId = "resume-1" });
var repeated = await professional.Postings["posting-tour"].Candidates.PostAsync(new() { ResumeId = "resume-1" });
await office.Postings["posting-tour"].Candidates[first!.Id!].PatchAsync(new() { IsShortlisted = true });
await office.Postings["posting-tour"].Candidates[first!.Id!].PatchAsync(new() { OfficeStatus = OfficeStatus.Scheduled, InterviewAt = DateTimeOffset.Parse("2030-03-10T09:00:00-06:00") });
PostingCandidate? row = null;
while (row?.OfficeStatus != OfficeStatus.Scheduled) row = (await office.Postings["posting-tour"].Candidates.GetAsync())?.Data?.FirstOrDefault(one => one.Id == first.Id);
await business.Internal.Postings["posting-tour"].Close.PostAsync();
var (status, code, error) = (0, "", "");
try {
    await office.Postings["posting-tour"].Candidates[first!.Id!].PatchAsync(new() { OfficeStatus = OfficeStatus.Hired });
} catch (Error refused) {
    (status, code, error) = (refused.ResponseStatusCode, refused.ResponseHeaders["Error-Code"].First(), refused.Message);
}
Candidate? archived = null;
while (archived is null) archived = (await professional.Professionals.Candidates.GetAsync(of => of.QueryParameters.CategoryAsGetProfessionalCandidatesCategory = GetProfessionalCandidatesCategory.Archived))?.Data?.FirstOrDefault(one => one.Id == first.Id);
Console.WriteLine(JsonSerializer.Serialize(new {
    candidateStatus = none?.ToString(),
    isSameCandidate = first!.Id == repeated!.Id,
    officeStatus = row.OfficeStatus.ToString(),
    status,
    code,
    error,
    professionalStatus = archived.ProfessionalStatus.ToString(),
}));
